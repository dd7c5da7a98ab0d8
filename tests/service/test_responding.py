"""How systems are asked, how their words are looked at, and how messages are read."""

import threading
import time
from collections.abc import Iterator, Sequence

import pytest

import hearten
from hearten.dialogue import Reply, Turn
from hearten.listener.agent import Agent
from hearten.listener.manner import Manner
from hearten.listener.parts import Parts
from hearten.reader.model import Reader
from hearten.safety.replies import unsafe_reply
from hearten.service.engine import Answered, Ask, Happening, Piece, Read
from hearten.service.guard import Guard
from hearten.service.workers.desk import Desk
from hearten.service.workers.loading import Loaded, load, split
from hearten.service.workers.messages import ask_table, happening_table, read_ask, read_happening
from hearten.service.workers.reading import read, with_evidence
from hearten.service.workers.responder import AgentResponder, SystemResponder, responder

SAID = (Turn("speaker", "My dog died last night and I miss him so much."),)
BAD = "Just kill yourself."


class Parrot:
    """A system that offers fixed replies, and counts how it was asked."""

    def __init__(self, *texts: str) -> None:
        self.texts = texts
        self.batches: list[int] = []
        self.intents: list[str] = []

    def reply(self, context: Sequence[Turn], n: int = 1) -> list[Reply]:
        return [Reply(text) for text in self.texts[:n]]

    def reply_many(self, contexts: Sequence[Sequence[Turn]]) -> list[Reply]:
        self.batches.append(len(contexts))
        return [Reply(self.texts[0]) for _ in contexts]

    def reply_with(self, context: Sequence[Turn], intent: str, n: int = 1) -> list[Reply]:
        self.intents.append(intent)
        return self.reply(context, n)


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader.load(threads=1)


def ask(name: str = "a", **more: object) -> Ask:
    return Ask(name, "parrot", SAID, **more)  # type: ignore[arg-type]


def answer(system: object, wanted: Ask) -> Answered:
    *pieces, last = SystemResponder(system).stream(wanted)
    assert isinstance(last, Answered)
    assert "".join(piece.text for piece in pieces if isinstance(piece, Piece)) == last.text
    return last


def test_the_toy_is_unsafe_as_these_tests_assume() -> None:
    assert unsafe_reply(BAD, SAID) is not None


def test_the_best_reply_that_may_be_said_is_said() -> None:
    found = answer(Parrot(BAD, "I am so sorry.", "Tell me of him."), ask())
    assert found.text == "I am so sorry." and found.alternatives == [{"text": "Tell me of him.", "plan": None}]


def test_where_nothing_may_be_said_a_reply_of_our_own_is() -> None:
    found = answer(Parrot(BAD), ask())
    assert found.withheld and found.text != BAD and unsafe_reply(found.text, SAID) is None
    assert answer(Parrot(""), ask()).withheld == "empty"


def test_regenerating_gives_something_else_as_long_as_there_is_something() -> None:
    system = Parrot("one", "two")
    assert answer(system, ask(avoid=("one",))).text == "two"
    assert answer(system, ask(avoid=("one", "two"))).text == "one"


def test_an_intent_is_passed_on_to_systems_that_take_one() -> None:
    system = Parrot("Be well.")
    assert answer(system, ask(intent="wishing")).text == "Be well." and system.intents == ["wishing"]
    assert answer(hearten.load("bm25"), ask(intent="wishing")).text


def test_several_people_are_answered_in_one_batch() -> None:
    system = Parrot("Oh no.")
    found = SystemResponder(system).together([ask("a"), ask("b"), ask("c")])
    assert [one.text for one in found] == ["Oh no."] * 3 and system.batches == [3]


def test_an_agent_tells_its_alternatives_and_avoids_what_was_said(reader: Reader) -> None:
    manner = Manner(plans=0, candidates=0, retrieved=4, ranks=False)
    agent = Agent(Parts(reader=reader, retriever=hearten.load("bm25")), manner)  # type: ignore[arg-type]

    class Holder:
        def __init__(self) -> None:
            self.agent = agent

    made = responder(Holder())
    assert isinstance(made, AgentResponder)
    *pieces, first = made.stream(ask())
    assert isinstance(first, Answered) and pieces == [Piece(first.text)] and first.alternatives
    second = list(made.stream(ask(avoid=(first.text,))))[-1]
    assert isinstance(second, Answered) and second.text != first.text
    assert [one.text for one in made.together([ask("a"), ask("b")])] == [first.text] * 2
    hurried = list(made.stream(ask(effort="quick")))[-1]
    assert isinstance(hurried, Answered) and hurried.text == first.text and hurried.effort == "quick"
    assert not made.together([ask("a"), ask("b", effort="quick")])[0].alternatives


def test_a_guard_withholds_the_word_that_makes_a_reply_unsafe() -> None:
    guard = Guard(SAID)
    shown = "".join(guard.pass_on(piece) for piece in ("Just", " kill", " yourself", ".", " Really"))
    assert shown == "Just kill" and guard.objection
    assert unsafe_reply(guard.settled(guard.text), SAID) is None
    calm = Guard(SAID)
    assert calm.pass_on(" I am sorry. ") and calm.settled(calm.text) == "I am sorry." and calm.objection is None


def test_a_message_is_read_with_its_top_three_and_its_words(reader: Reader) -> None:
    table = read(reader, SAID)
    assert len(table["emotions"]) == 3 and table["emotions"][0]["id"] in ("sad", "devastated") and table["valence"] < 0
    assert table["evidence"] == []
    words = with_evidence(reader, (Turn("speaker", "🙂 hello"), Turn("listener", "hi"), *SAID), table)["evidence"]
    assert 0 < len(words) <= 5
    text = SAID[0].text
    assert "died" in [text[one["start"] : one["end"]] for one in words]
    long = (Turn("speaker", "word " * 100),)
    assert with_evidence(reader, long, table) == table, "long messages would take too long"


def test_a_desk_serves_several_at_once_where_a_system_can_be_shared(reader: Reader) -> None:
    meeting = threading.Barrier(3, timeout=30)

    class Meets:
        is_shared = True

        def is_live(self, wanted: Ask) -> bool:
            return True

        def stream(self, wanted: Ask) -> Iterator[Answered]:
            meeting.wait()  # passes only if three threads are here at the same time
            yield Answered(f"hello {wanted.id}")

    told: list[tuple[str, Happening | None]] = []
    loaded = Loaded({"parrot": Meets()}, (), reader)  # type: ignore[dict-item]
    desk = Desk(loaded, lambda *what: told.append(what), together=3)
    for name in ("a", "b", "c"):
        desk.put(ask(name))
    working = threading.Thread(target=desk.work)
    working.start()
    while sum(isinstance(what, Answered) for _, what in told) < 3 and working.is_alive():
        time.sleep(0.01)
    desk.close()
    working.join(30)
    answers = {name: what.text for name, what in told if isinstance(what, Answered)}
    assert answers == {name: f"hello {name}" for name in "abc"} and not working.is_alive()


def test_a_desk_answers_those_together_who_fit_together(reader: Reader) -> None:
    system = Parrot("Oh no.")
    told: list[tuple[str, Happening | None]] = []
    desk = Desk(Loaded({"parrot": SystemResponder(system)}, (), reader), lambda *what: told.append(what), together=3)
    for name in ("a", "b", "c", "d"):
        desk.put(ask(name))
    desk.put(ask("e", intent="wishing"))
    desk.put(Ask("f", "nobody", SAID))
    finish(desk)
    assert system.batches == [3] and system.intents == ["wishing"]
    ends = {name: happening for name, happening in told if not isinstance(happening, Read | Piece)}
    assert {name for name, end in ends.items() if isinstance(end, Answered)} == {"a", "b", "c", "d", "e"}
    assert ends["f"] is None, "an ask that fails is told, and the others go on"


def test_nothing_is_told_of_an_ask_that_was_dropped(reader: Reader) -> None:
    told: list[str] = []
    desk = Desk(Loaded({"parrot": SystemResponder(Parrot("Oh no."))}, (), reader), lambda name, what: told.append(name))
    desk.put(ask("a"))
    desk.put(ask("b"))
    desk.drop("a")
    finish(desk)
    assert told.count("b") > 2 and told.count("a") == 0


def finish(desk: Desk) -> None:
    """Work until nothing is left."""
    while desk._waiting:
        group = desk._next()
        desk._serve(group)


def test_asks_and_happenings_survive_the_journey_between_processes() -> None:
    given = ask(avoid=("x",), intent="wishing", conversation="talk", seed=3)
    assert read_ask(ask_table(given)) == given
    for happening in (Read({"a": 1}), Piece("x"), Answered("y", "wishing", [{"text": "z", "plan": None}], "why")):
        assert read_happening(happening_table(happening)) == happening


def test_systems_are_named_by_preset_or_folder(tmp_path: object) -> None:
    assert split("bm25") == ("bm25", "tiny") and split("bm25:offline") == ("bm25", "offline")
    assert split(str(tmp_path)) == (str(tmp_path), "")
    loaded = load(["bm25:tiny"])
    [served] = loaded.served
    assert served.id == "bm25" and served.model.startswith("bm25/tiny@") and len(served.config) == 16 and served.about
