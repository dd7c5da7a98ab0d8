"""What the store keeps, gives back and forgets, on both databases."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from hearten.errors import UserError
from hearten.store.events import Fact, Recorded, StoreError
from hearten.store.store import Store

ODD = "emoji 🤗, right-to-left שלום, zero​width, quote ' \" \\ %s {} \t\r\n end"


def begin(visitor: str = "ann", name: str = "talk") -> Fact:
    return Fact("conversation", visitor, name, body={"system": "toy"}, id=name, model="toy@1", config="abc")


def said(text: str, visitor: str = "ann", name: str = "talk", key: str | None = None) -> Fact:
    return Fact("turn", visitor, name, body={"role": "speaker", "text": text}, key=key)


def answered(asked: Recorded, text: str, key: str | None = None) -> Fact:
    body = {"role": "listener", "text": text}
    return Fact("turn", asked.visitor, asked.conversation, asked.id, body, key, "toy@1", "abc")


def run(coroutine: Any) -> Any:
    return asyncio.run(coroutine)


def test_what_was_said_comes_back_to_the_letter(store: Store) -> None:
    async def scene() -> None:
        await store.append(begin(), said(ODD))
        view = await store.conversation("ann", "talk")
        assert view is not None and [turn.text for turn in view.turns] == [ODD]

    run(scene())


def test_the_same_key_is_the_same_event(store: Store) -> None:
    async def scene() -> None:
        await store.append(begin())
        [first] = await store.append(said("once", key="k"))
        [second] = await store.append(said("twice", key="k"))
        assert second == first
        [other] = await store.append(said("once", visitor="bob", name="other", key="k"))
        assert other.id != first.id, "keys of different visitors are different keys"

    run(scene())


def test_the_same_key_at_the_same_moment_is_one_event(store: Store) -> None:
    async def scene() -> None:
        await store.append(begin())
        found = await asyncio.gather(*(store.append(said(f"try {n}", key="k")) for n in range(20)))
        assert len({one.id for [one] in found}) == 1
        view = await store.conversation("ann", "talk")
        assert view is not None and len(view.turns) == 1

    run(scene())


def test_facts_given_together_are_stored_together_or_not_at_all(store: Store) -> None:
    async def scene() -> None:
        broken = Fact("turn", "ann", "talk", body={"role": "speaker", "text": object()})
        with pytest.raises(Exception, match=r"\w"):
            await store.append(begin(), broken)
        assert await store.conversation("ann", "talk") is None
        await store.append(begin(), said("still works"))

    run(scene())


def test_one_bad_event_does_not_harm_those_written_with_it(store: Store) -> None:
    async def scene() -> None:
        await store.append(begin())
        broken = Fact("turn", "ann", "talk", body={"role": "speaker", "text": object()})
        facts = [said("a"), broken, said("b")]
        found = await asyncio.gather(*(store.append(fact) for fact in facts), return_exceptions=True)
        assert [isinstance(one, Exception) for one in found] == [False, True, False]
        view = await store.conversation("ann", "talk")
        assert view is not None and [turn.text for turn in view.turns] == ["a", "b"]

    run(scene())


def test_nobody_sees_the_conversation_of_another(store: Store) -> None:
    async def scene() -> None:
        _, turn = await store.append(begin(), said("private"))
        assert await store.conversation("bob", "talk") is None
        assert await store.conversation_of("bob", turn.id) is None
        assert await store.entries("bob") == []
        assert not await store.forget_conversation("bob", "talk")
        assert await store.conversation_of("ann", turn.id) is not None

    run(scene())


def test_another_reply_replaces_the_shown_one_and_keeps_the_old(store: Store) -> None:
    async def scene() -> None:
        _, asked = await store.append(begin(), said("hello"))
        [old] = await store.append(answered(asked, "old"))
        await store.append(said("more"))
        [new] = await store.append(answered(asked, "new"))
        view = await store.conversation("ann", "talk")
        assert view is not None
        assert [turn.text for turn in view.turns] == ["hello", "new", "more"]
        assert [turn.text for turn in view.replies[asked.id]] == ["old", "new"]
        assert view.find(old.id) is not None and view.reply_to(asked.id) == view.find(new.id)
        assert [entry.turns for entry in await store.entries("ann")] == [3]

    run(scene())


def test_a_reply_knows_its_model_and_settings(store: Store) -> None:
    async def scene() -> None:
        _, asked = await store.append(begin(), said("hello"))
        [reply] = await store.append(answered(asked, "hi"))
        assert (reply.model, reply.config) == ("toy@1", "abc")

    run(scene())


def test_the_list_is_newest_first_with_titles(store: Store, clock: Any) -> None:
    async def scene() -> None:
        await store.append(begin(name="one"), said("The first thing I want to tell is rather a long story", name="one"))
        clock.now += 60
        await store.append(begin(name="two"))
        clock.now += 60
        await store.append(begin(name="three"), Fact("title", "ann", "three", body={"title": "Mine"}))
        entries = await store.entries("ann")
        assert [entry.title for entry in entries] == [
            "Mine",
            "New conversation",
            "The first thing I want to tell is rather a…",
        ]
        clock.now += 60
        await store.append(said("again", name="one"))
        assert (await store.entries("ann"))[0].id == "one"

    run(scene())


def test_notes_on_turns_are_folded_in_and_the_last_one_counts(store: Store) -> None:
    async def scene() -> None:
        _, asked = await store.append(begin(), said("hello"))
        [reply] = await store.append(answered(asked, "hi"))
        for kind, about, body in (
            ("rating", reply, {"value": 1}),
            ("rating", reply, {"value": -1}),
            ("report", reply, {"reason": "hurtful", "note": None}),
            ("edit", reply, {"text": "better"}),
            ("emotion", asked, {"emotion": "sad"}),
            ("reading", asked, {"emotions": [{"id": "joyful", "probability": 0.5}], "valence": 0.5}),
        ):
            await store.append(Fact(kind, "ann", "talk", about.id, body))  # type: ignore[arg-type]
        view = await store.conversation("ann", "talk")
        assert view is not None
        person, listener = view.turns
        assert (listener.rating, listener.reported, listener.edited) == (-1, "hurtful", "better")
        assert person.corrected == "sad" and person.reading is not None

    run(scene())


def test_deleting_a_conversation_leaves_the_others(store: Store) -> None:
    async def scene() -> None:
        await store.append(begin(name="one"), begin(name="two"), begin("bob", "three"))
        assert await store.forget_conversation("ann", "one")
        assert not await store.forget_conversation("ann", "one")
        assert [entry.id for entry in await store.entries("ann")] == ["two"]
        assert await store.conversation("bob", "three") is not None

    run(scene())


def test_forgetting_somebody_forgets_everything_of_theirs(store: Store) -> None:
    async def scene() -> None:
        await store.append(begin(), said("mine"), Fact("consent", "ann", body={"research": True}))
        await store.append(begin("bob", "other"))
        await store.forget_visitor("ann")
        assert not await store.is_known("ann") and await store.consent("ann") is None
        assert await store.is_known("bob")

    run(scene())


def test_old_conversations_are_forgotten_and_living_ones_kept(store: Store, clock: Any) -> None:
    async def scene() -> None:
        await store.append(begin(name="old"), begin(name="living"), Fact("consent", "ann", body={"research": True}))
        clock.now += 1000
        await store.append(said("still here", name="living"))
        assert await store.forget_older(500) == 1
        assert [entry.id for entry in await store.entries("ann")] == ["living"]
        assert await store.consent("ann") is not None

    run(scene())


def test_the_last_consent_counts(store: Store) -> None:
    async def scene() -> None:
        assert await store.consent("ann") is None
        for answer in (True, False):
            await store.append(Fact("consent", "ann", body={"research": answer}))
        found = await store.consent("ann")
        assert found is not None and found.body == {"research": False}

    run(scene())


def test_what_was_acknowledged_is_there_after_opening_anew(url: str) -> None:
    first = Store(url)
    run(first.append(begin(), said("kept")))
    first.close()
    second = Store(url)
    view = run(second.conversation("ann", "talk"))
    second.close()
    assert [turn.text for turn in view.turns] == ["kept"]


def test_a_closed_store_acknowledges_nothing(url: str) -> None:
    store = Store(url)
    store.close()
    with pytest.raises(StoreError, match="closed"):
        run(store.append(begin()))


def test_a_write_that_nobody_waits_for_any_more_does_not_stop_the_writer(store: Store) -> None:
    async def scene() -> None:
        tasks = [asyncio.ensure_future(store.append(begin(name=f"n{n}"))) for n in range(50)]
        await asyncio.sleep(0)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await store.append(begin(name="last"))
        assert await store.conversation("ann", "last") is not None

    run(scene())


@pytest.mark.parametrize("url", ["mysql://x/y", "nonsense", "sqlite://", "sqlite:///:memory:"])
def test_addresses_that_cannot_work_are_refused(url: str) -> None:
    with pytest.raises(UserError, match=r"use sqlite|cannot be read|name a file"):
        Store(url)


def test_a_database_that_is_not_running_is_named_plainly(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be opened"):
        Store("postgresql://nobody@127.0.0.1:1/none")
