"""The agent's stages, with an engine of a few lines in the place of a language model."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from hearten.chatml import END, START, Layout, Limits
from hearten.decoding import Decoding
from hearten.dialogue import Reply, Turn
from hearten.engines.engine import Generated, Ids, Pair
from hearten.errors import UserError
from hearten.listener.agent import Agent
from hearten.listener.answer import Answer
from hearten.listener.generator import Generator
from hearten.listener.manner import Manner, Weights
from hearten.listener.parts import Parts
from hearten.reader.model import Reader
from hearten.system import Array, Context, Embeds, Judgement, LogLikelihood
from hearten.taxonomy import LABELS

SAD = [Turn("speaker", "My dog died last night and the house is so quiet.")]
SAYINGS = ["Oh no.", "I am so sorry about your dog.", "That is nice.", "How old was he?"]


def tokenizer() -> Tokenizer:
    """One token for each byte."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    found = Tokenizer(models.BPE({char: number for number, char in enumerate(alphabet)}, []))
    found.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    found.decoder = decoders.ByteLevel()
    found.add_special_tokens([START, END])
    return found


class Parrot:
    """Says the next of its sayings; what it says is likelier the shorter it is, and "Oh no." fits anywhere."""

    def __init__(self, layout: Layout, sayings: Sequence[str]) -> None:
        self.layout, self.sayings = layout, sayings
        self.prompts: list[str] = []

    def generate(self, prompts: Sequence[Ids], decoding: Decoding, n: int = 1, seed: int = 0) -> list[list[Generated]]:
        found = []
        for prompt in prompts:
            self.prompts.append(self.layout.text(prompt))
            start = len(self.prompts) - 1
            texts = [self.sayings[(start * n + k) % len(self.sayings)] for k in range(n)]
            ids = [tuple(self.layout.reply_ids(text)) for text in texts]
            found.append([Generated(one, -2.0 * (len(one) + 1)) for one in ids])
        return found

    def stream(self, prompt: Ids, decoding: Decoding, seed: int = 0) -> Iterator[int]:
        return iter(self.generate([prompt], decoding)[0][0].ids)

    def score(self, pairs: Sequence[Pair]) -> list[LogLikelihood]:
        counts = [len(pair.reply) + 1 for pair in pairs]
        generic = [self.layout.text(pair.reply) == "Oh no." for pair in pairs]
        return [
            LogLikelihood(-count * (0.5 if one else 4.0), count) for count, one in zip(counts, generic, strict=True)
        ]

    def close(self) -> None:
        pass


class Likes:
    """Ranks the candidates that hold a word above the others."""

    def __init__(self, word: str) -> None:
        self.word = word

    def contexts(self, contexts: Sequence[Context]) -> Array:
        return np.ones((len(contexts), 1))

    def candidates(self, texts: Sequence[str]) -> Array:
        return np.array([[float(self.word in text)] for text in texts])

    def affinity(self, contexts: Sequence[Context], candidates: Sequence[str]) -> Array:
        return np.asarray(self.contexts(contexts) @ self.candidates(candidates).T)


class Dislikes:
    """Judges that replies which hold a word were given elsewhere."""

    def __init__(self, word: str) -> None:
        self.word = word

    def judge(self, context: Context, replies: Sequence[str]) -> Judgement:
        return Judgement(np.full(len(replies), -9.0), np.array([-float(self.word in text) for text in replies]))


class Quotes:
    """Looks up always the same replies."""

    def reply(self, context: Context, n: int = 1) -> list[Reply]:
        return [Reply("Quiet nights are the worst.", 1.0, "corpus#1")][:n]


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader.load(threads=1)


@pytest.fixture
def parrot() -> Parrot:
    return Parrot(Layout(tokenizer(), Limits(2000, 2000, planned=True)), SAYINGS)


def agent(parrot: Parrot, ranker: Embeds | None = None, reader: Reader | None = None, **manner: object) -> Agent:
    parts = Parts(reader, Generator(parrot, parrot.layout), ranker, Quotes())
    return Agent(parts, Manner.model_validate({"reads": reader is not None, "plans": 0, **manner}))


def test_the_candidate_that_fits_best_is_said(parrot: Parrot) -> None:
    answer = agent(parrot, Likes("dog"), candidates=4).answer(SAD)
    assert answer.text == "I am so sorry about your dog."
    assert answer.candidates[0].text == answer.text
    assert answer.candidates[0].scores["fit"] == 20.0
    assert {one.text for one in answer.candidates} == set(SAYINGS)


class Tells:
    """Finds every reply equally fitting, and those alike that begin with the same word."""

    def contexts(self, contexts: Sequence[Context]) -> Array:
        return np.ones((len(contexts), 2)) / 2

    def candidates(self, texts: Sequence[str]) -> Array:
        return np.array([[1.0, 0.0] if text.startswith("How") else [0.0, 1.0] for text in texts])

    def affinity(self, contexts: Sequence[Context], candidates: Sequence[str]) -> Array:
        return np.asarray(self.contexts(contexts) @ self.candidates(candidates).T)


def test_a_draft_that_others_agree_with_is_said() -> None:
    parrot = Parrot(Layout(tokenizer(), Limits(2000, 2000)), ["What a day.", "How old was he?", "How are you now?"])
    answer = agent(parrot, Tells(), candidates=3).answer(SAD)
    assert answer.text == "How old was he?"
    assert [one.scores["agreement"] for one in answer.candidates] == [10.0, 10.0, 0.0]
    unswayed = agent(parrot, Tells(), candidates=3, weights={"agreement": 0, "genericness": 0}).answer(SAD)
    assert unswayed.candidates[0].total == unswayed.candidates[2].total


def test_a_lone_draft_agrees_with_nobody(parrot: Parrot) -> None:
    (only,) = agent(parrot, Likes("Oh"), candidates=1).answer(SAD).candidates
    assert only.scores["agreement"] == 0.0


def test_what_would_fit_anywhere_loses(parrot: Parrot) -> None:
    answer = agent(parrot, candidates=2).answer(SAD)
    assert answer.text == SAYINGS[1]
    kept = agent(parrot, candidates=2, weights=Weights(genericness=0).model_dump()).answer(SAD)
    assert kept.candidates[0].total == kept.candidates[1].total


def test_without_ranking_the_first_is_said(parrot: Parrot) -> None:
    answer = agent(parrot, Likes("dog"), candidates=4, ranks=False).answer(SAD)
    assert answer.text == SAYINGS[0]
    assert not answer.candidates[0].scores


def test_a_quick_agent_writes_one_draft_and_says_it(parrot: Parrot) -> None:
    considered = agent(parrot, Likes("dog"), candidates=4)
    answer = considered.quick().answer(SAD)
    assert answer.text == SAYINGS[0] and len(answer.candidates) == 1
    assert considered.answer(SAD).text == SAYINGS[1]
    looked_up = agent(parrot, candidates=0, retrieved=3, ranks=False).quick().answer(SAD)
    assert [one.source for one in looked_up.candidates] == ["corpus#1"]


def test_an_intent_is_the_only_plan(parrot: Parrot) -> None:
    answer = agent(parrot, candidates=2).answer(SAD, intent="questioning")
    assert all(prompt.endswith("assistant\n(questioning)") for prompt in parrot.prompts)
    assert answer.plan == "questioning"
    with pytest.raises(UserError, match="no emotion or intent 'shouting'"):
        agent(parrot).answer(SAD, intent="shouting")


def test_replies_are_looked_up_and_judged_with_the_others(parrot: Parrot) -> None:
    answer = agent(parrot, Likes("nights"), candidates=2, retrieved=1).answer(SAD)
    assert (answer.text, answer.candidates[0].source) == ("Quiet nights are the worst.", "corpus#1")


def test_a_reply_that_repeats_is_not_said(parrot: Parrot) -> None:
    told = [*SAD, Turn("listener", "I am so sorry about your dog."), Turn("speaker", "Thank you.")]
    answer = agent(parrot, Likes("dog"), candidates=4).answer(told)
    assert answer.text != "I am so sorry about your dog."
    assert [one.objection for one in answer.candidates if "dog" in one.text] == ["it repeats what was said before"]


def test_a_hurtful_reply_is_held_back_and_replaced() -> None:
    rude = Parrot(Layout(tokenizer(), Limits(2000, 2000)), ["Just get over it, you idiot."])
    answer = agent(rude, candidates=1).answer(SAD)
    assert "idiot" not in answer.text
    assert answer.candidates[0].objection
    assert answer.plan is None
    bare = agent(rude, candidates=1, guards=False).answer(SAD)
    assert bare.text == "Just get over it, you idiot."


def test_a_crisis_is_met_with_help_and_the_generator_is_not_asked(parrot: Parrot) -> None:
    answer = agent(parrot).answer([Turn("speaker", "I want to kill myself tonight")], country="US")
    assert answer.crisis and answer.crisis.kind == "suicide"
    assert "988" in answer.text
    assert parrot.prompts == []


def test_a_single_candidate_is_streamed_as_it_is_written(parrot: Parrot) -> None:
    *pieces, last = agent(parrot, candidates=1, ranks=False).stream(SAD)
    assert isinstance(last, Answer)
    assert pieces == ["O", "h", " no."]  # its tokens are letters; behind the first word whole words are shown
    assert "".join(map(str, pieces)) == last.text == SAYINGS[0]


def test_of_several_the_chosen_one_is_given_word_by_word(parrot: Parrot) -> None:
    *pieces, last = agent(parrot, Likes("dog"), candidates=4).stream(SAD)
    assert isinstance(last, Answer)
    assert "".join(map(str, pieces)) == last.text == SAYINGS[1]


def test_conversations_are_answered_alike_alone_and_together(parrot: Parrot) -> None:
    happy = [Turn("speaker", "I got the job!")]
    danger = [Turn("speaker", "I want to end my life")]
    answers = agent(parrot, candidates=4).answer_many([SAD, danger, happy])
    assert [one.crisis is not None for one in answers] == [False, True, False]
    assert len(parrot.prompts) == 2


def test_the_reading_is_among_the_reasons(parrot: Parrot, reader: Reader) -> None:
    answer = agent(parrot, reader=reader, candidates=2).answer(SAD)
    assert answer.reading and answer.reading.label in {"sad", "devastated", "lonely"}
    table = answer.table()
    assert table["emotion"]["label"] == answer.reading.label
    assert [one["text"] for one in table["alternatives"]] == [SAYINGS[0]]


def test_what_a_listener_would_do_is_said_and_not_imposed(parrot: Parrot, reader: Reader) -> None:
    answer = agent(parrot, reader=reader, candidates=2).answer(SAD)
    assert set(answer.plans) == set(LABELS) and sum(answer.plans.values()) == pytest.approx(1)
    assert parrot.prompts and not any(prompt.endswith(")") for prompt in parrot.prompts)
    assert answer.plan is None


def test_a_missing_part_is_named_before_anybody_talks() -> None:
    with pytest.raises(UserError, match="without a reader"):
        Agent(Parts(), Manner(candidates=0, retrieved=1))
    with pytest.raises(UserError, match="without a generator"):
        Agent(Parts(retriever=Quotes()), Manner(reads=False, plans=0))
    with pytest.raises(ValueError, match="nothing to say"):
        Manner(candidates=0)


def test_a_flawed_candidate_is_said_only_where_all_are(parrot: Parrot) -> None:
    parrot.sayings = ["My dog died too.", "How old was he?"]
    assert agent(parrot, Likes("dog"), candidates=2).answer(SAD).text == "How old was he?"
    parrot.sayings = ["My dog died too.", "My cat died too."]
    assert agent(parrot, Likes("dog"), candidates=2).answer(SAD).text == "My dog died too."


def test_asked_about_itself_it_says_that_it_is_a_program() -> None:
    asked = [Turn("speaker", "My dog is a joy. Do you have any pets?")]
    told = Parrot(Layout(tokenizer(), Limits(64, 32, True)), ["Yes, I do. I have 2 dogs."])
    answer = agent(told, candidates=1, ranks=False).answer(asked)
    assert "program" in answer.text
    assert answer.candidates[0].objection == "it was asked about itself and claims a life"
    honest = Parrot(Layout(tokenizer(), Limits(64, 32, True)), ["What is your dog called?"])
    assert agent(honest, candidates=1, ranks=False).answer(asked).text == "What is your dog called?"


def test_the_very_same_words_are_a_repetition_however_few(parrot: Parrot) -> None:
    parrot.sayings = ["Oh no!", "Really?"]
    said = [*SAD, Turn("listener", "Oh no."), Turn("speaker", "Yes.")]
    answer = agent(parrot, Likes("Oh"), candidates=2).answer(said)
    assert answer.text == "Really?"


def test_the_less_time_there_is_the_less_is_written(parrot: Parrot) -> None:
    whole = agent(parrot, candidates=4)
    assert len(whole.quick().answer(SAD).candidates) == 1
    asked = len(parrot.prompts)
    assert whole.instant().answer(SAD).text == "Quiet nights are the worst." and len(parrot.prompts) == asked
    whole.parts = replace(whole.parts, retriever=None)
    assert whole.instant().answer(SAD).text in SAYINGS


def test_replies_of_others_are_ordered_by_vectors_then_by_what_the_context_makes_likely(parrot: Parrot) -> None:
    texts = ["Oh no.", "A dog has a good life.", "How old was the dog?", "Nice dog."]
    manner = {"ranking": {"shortlist": 3, "likelihood": 0.5}}
    scores = agent(parrot, Likes("dog"), **manner).affinity([SAD], texts)
    assert scores.shape == (1, 4)
    assert list(np.argsort(-scores[0])[-1:]) == [0]  # not on the shortlist
    assert scores[0, 1:] == pytest.approx([20.0] * 3)  # as likely with the context as without
    generic = agent(parrot, Likes("no"), ranking={"shortlist": 4, "genericness": 0.0}).affinity([SAD], texts)
    assert np.argmax(generic[0]) == 0
    generating = agent(parrot, Likes("dog"), ranking={"shortlist": 3, "selection": 2.0})
    judging = Agent(replace(generating.parts, judge=Dislikes("old")), generating.manner)
    judged = judging.affinity([SAD], texts)
    assert judged[0, 1:] == pytest.approx([20.0, 18.0, 20.0])  # the judge in the generator's place
    plain = agent(parrot, Likes("dog"), ranking={"shortlist": 0}).affinity([SAD], texts)
    assert plain.tolist() == [[0.0, 20.0, 20.0, 20.0]]
