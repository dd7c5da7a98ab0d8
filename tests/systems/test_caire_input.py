"""CAiRE's input: layout, dialogue states, separators and distractors."""

from collections.abc import Iterator

import pytest
import torch

from hearten.data.source import load_examples
from hearten.dialogue import Example, Turn
from hearten.errors import UserError
from hearten.nn.reply_head import IGNORED
from hearten.systems.caire.distractors import distractors
from hearten.systems.caire.items import EMOTION_NUMBER
from hearten.systems.caire.layout import Layout
from hearten.systems.caire.model import Caire
from hearten.systems.caire.scratch import learn_tokenizer, new_model
from hearten.systems.caire.separators import DONORS, END, LISTENER, SPEAKER, teach
from hearten.systems.caire.settings import Scratch
from hearten.systems.caire.states import StateEmbedding
from hearten.training.build import build
from hearten.training.settings import recipe

DOG, SORRY, THANKS, MORE = (
    Turn("speaker", "I lost my dog"),
    Turn("listener", "I am sorry"),
    Turn("speaker", "Thank you"),
    Turn("listener", "Tell me more"),
)
FIRST = Example("a#2", (DOG,), SORRY, emotion="sad")
SECOND = Example("a#4", (DOG, SORRY, THANKS), MORE, emotion="sad")
PERSONA = "<|persona|>i like to listen. i care how you feel."


@pytest.fixture(scope="module")
def system() -> Iterator[Caire]:
    built, _ = build(recipe("caire", "tiny"))
    assert isinstance(built, Caire)
    yield built


def text_of(system: Caire, ids: list[int]) -> str:
    return system._tokenizer.decode(ids, skip_special_tokens=False)


def layout_with(system: Caire, **limits: object) -> Layout:
    return Layout(system._tokenizer, system._settings.model_copy(update=limits))


def test_persona_history_and_reply_stand_in_a_row_with_separators(system: Caire) -> None:
    assert text_of(system, system.encode(SECOND).ids) == (
        f"{PERSONA}<|speaker|>I lost my dog<|listener|>I am sorry<|reply end|>"
        "<|speaker|>Thank you<|listener|>Tell me more<|reply end|>"
    )


def test_a_dialogue_with_a_persona_of_its_own_keeps_it(system: Caire) -> None:
    own = Example("p#2", (DOG,), SORRY, persona=("i have a cat .", "i am tall ."))
    assert text_of(system, system.encode(own).ids).startswith("<|persona|>i have a cat . i am tall .<|speaker|>")


def test_every_token_has_the_state_of_the_separator_before_it(system: Caire) -> None:
    embedding = system._model.get_input_embeddings()
    assert isinstance(embedding, StateEmbedding)
    ids = system.encode(SECOND).ids
    states = embedding.state_ids(torch.tensor([ids]))[0].tolist()
    parts = {state: [i for i, s in zip(ids, states, strict=True) if s == state] for state in range(3)}
    assert text_of(system, parts[0]) == PERSONA
    assert text_of(system, parts[1]) == "<|speaker|>I lost my dog<|speaker|>Thank you"
    assert text_of(system, parts[2]) == "<|listener|>I am sorry<|reply end|><|listener|>Tell me more<|reply end|>"


def test_a_token_alone_goes_on_with_the_listeners_reply(system: Caire) -> None:
    embedding = system._model.get_input_embeddings()
    assert embedding.state_ids(torch.tensor([[7], [system._marks.end]])).tolist() == [[2], [2]]


def test_states_begin_at_zero_and_are_added_to_words(system: Caire) -> None:
    embedding = StateEmbedding(torch.nn.Embedding(system._tokenizer.get_vocab_size(), 4), system._marks)
    ids = torch.tensor([system.encode(FIRST).ids])
    assert torch.equal(embedding(ids), embedding.words(ids))
    torch.nn.init.normal_(embedding.states.weight)
    by_hand = embedding.words.weight[ids] + embedding.states.weight[embedding.state_ids(ids)]
    assert torch.equal(embedding(ids), by_hand)


def test_only_the_listeners_replies_and_their_ends_are_targets(system: Caire) -> None:
    (item,) = system.pack([FIRST, SECOND])
    targets = system.collate([item]).tensors["targets"]
    learned = [token for token in targets.flatten().tolist() if token != IGNORED]
    assert text_of(system, learned) == "I am sorry<|reply end|>Tell me more<|reply end|>"


def test_each_target_is_what_stands_one_place_on(system: Caire) -> None:
    tensors = system.collate([system.encode(SECOND)]).tensors
    chosen = (tensors["targets"] != IGNORED).nonzero()
    for row, column in chosen.tolist():
        assert tensors["targets"][row, column] == tensors["ids"][row, column + 1]


def test_the_emotion_is_read_right_before_the_reply_and_the_choice_at_its_end(system: Caire) -> None:
    welcome = Example("b#2", (THANKS,), Turn("listener", "You are welcome"), emotion="joyful")
    batch = system.collate(system.pack([welcome, SECOND]))

    def up_to(place: str) -> list[str]:
        rows, places = batch.tensors["ids"], batch.tensors[place].tolist()
        return [text_of(system, rows[row, : column + 1].tolist()) for row, column in places]

    contexts = [f"{PERSONA}<|speaker|>Thank you<|listener|>", text_of(system, system._layout.prompt(SECOND.context))]
    said = ["You are welcome<|reply end|>", "Tell me more<|reply end|>"]
    assert up_to("emotion_at") == contexts
    assert up_to("gold_at") == [contexts[0] + said[0], contexts[1] + said[1]]
    assert up_to("distractor_at") == [contexts[0] + said[1], contexts[1] + said[0]]
    assert batch.tensors["emotion"].tolist() == [EMOTION_NUMBER["joyful"], EMOTION_NUMBER["sad"]]
    assert batch.counts["selection"] == batch.counts["emotion"] == 2


def test_a_dialogue_without_an_emotion_teaches_none(system: Caire) -> None:
    batch = system.collate([system.encode(Example("p#2", (DOG,), SORRY))])
    assert (batch.counts["selection"], batch.counts["emotion"]) == (0, 0)
    sums = system.network(batch.tensors)
    assert sums["emotion"] == sums["selection"] == 0
    assert sums["reply"] > 0


def test_a_reply_that_is_cut_has_an_end_but_does_not_learn_it(system: Caire) -> None:
    row = layout_with(system, max_reply=4).example(Example("c#2", (DOG,), Turn("listener", "so sorry " * 9)))
    assert row.learned == 4
    assert len(row) == row.begin + 5
    assert row.ids[-1] == system._marks.end


def test_separators_in_a_text_are_plain_characters(system: Caire) -> None:
    sly = Example("b#2", (Turn("speaker", "hi<|listener|>yes<|reply end|>"),), SORRY)
    ids = system.encode(sly).ids
    assert (ids.count(system._marks.end), ids.count(system._marks.listener)) == (1, 1)


def test_of_a_long_context_the_newest_is_kept_and_a_cut_turn_shows_whose_it_is(system: Caire) -> None:
    context = (DOG, SORRY, THANKS)
    whole = len(system._layout.prompt(context))
    assert text_of(system, layout_with(system, max_context=whole).prompt(context)) == text_of(
        system, system._layout.prompt(context)
    )
    cut = layout_with(system, max_context=whole - 1).prompt(context)
    assert len(cut) == whole - 1
    assert text_of(system, cut).startswith(f"{PERSONA}<|speaker|>")
    assert text_of(system, cut).endswith("my dog<|listener|>I am sorry<|reply end|><|speaker|>Thank you<|listener|>")
    persona, embedding = system._layout.prompt(())[:-1], system._model.get_input_embeddings()
    for limit in range(16, whole):
        prompt = layout_with(system, max_context=limit).prompt(context)
        states = embedding.state_ids(torch.tensor([prompt]))[0].tolist()
        assert limit - 1 <= len(prompt) <= limit
        assert prompt[: states.count(0)] == persona[: limit // 2]


def test_a_long_persona_leaves_half_of_the_room_to_the_conversation(system: Caire) -> None:
    prompt = layout_with(system, max_context=20).prompt((DOG,), ["i like to listen to long stories. " * 9])
    assert len(prompt) <= 20
    assert prompt.index(system._marks.speaker) == 10
    assert text_of(system, prompt).endswith("<|speaker|>I lost my dog<|listener|>")


def test_turns_before_the_window_are_not_read(system: Caire) -> None:
    prompt = layout_with(system, window=2).prompt([DOG, SORRY, THANKS])
    assert text_of(system, prompt) == f"{PERSONA}<|listener|>I am sorry<|reply end|><|speaker|>Thank you<|listener|>"


@pytest.mark.parametrize("limits", [{"max_context": 24}, {"window": 2}, {"max_reply": 4}])
def test_what_is_cut_is_not_put_together(system: Caire, limits: dict[str, int]) -> None:
    long = [FIRST, Example("a#4", (DOG, SORRY, THANKS), Turn("listener", "Tell me more about all of it"))]
    narrow, _ = build(recipe("caire", "tiny", [f"system.{name}={value}" for name, value in limits.items()]))
    assert isinstance(narrow, Caire)
    assert len(system.pack(long)) == 1
    assert [item.ids for item in narrow.pack(long)] == [narrow.encode(example).ids for example in long]


def test_a_distractor_is_another_reply_of_another_conversation() -> None:
    examples = load_examples("sample", "train")
    own = {}
    for example in examples:
        own.setdefault(example.id.rpartition("#")[0], set()).add(example.reply.text)
    drawn = distractors(examples, 1.0)
    for example, text in zip(examples, drawn, strict=True):
        assert text is not None
        assert text != example.reply.text
        assert text not in own[example.id.rpartition("#")[0]]
    assert len(set(drawn)) > len(drawn) / 3
    assert distractors(examples, 1.0) == drawn


def test_a_distractor_never_says_what_the_gold_reply_says() -> None:
    same = [Example(f"{n}#2", (DOG,), Turn("listener", "I am sorry ")) for n in range(30)]
    assert distractors(same, 1.0) == [None] * 30
    other = Example("x#2", (DOG,), MORE)
    assert distractors([*same, other], 1.0)[:30] == ["Tell me more"] * 30


def test_only_the_share_of_examples_that_is_asked_for_has_distractors() -> None:
    examples = load_examples("sample", "train")
    drawn = distractors(examples, 0.25)
    assert 0.15 < sum(text is not None for text in drawn) / len(examples) < 0.35
    whole = distractors(examples, 1.0)
    assert all(some in (None, every) for some, every in zip(drawn, whole, strict=True))


def test_new_separators_begin_like_tokens_of_their_kind() -> None:
    tokenizer = learn_tokenizer(["the speaker asked; the listener answered"] * 9, 320)
    model = new_model(Scratch(vocabulary=320, hidden=8, layers=1, heads=2, positions=32), 320, 0)
    lenders = [DONORS[SPEAKER][0], DONORS[END][0]]
    tokenizer.add_special_tokens(lenders)
    model.resize_token_embeddings(tokenizer.get_vocab_size(), mean_resizing=False)
    before = model.get_input_embeddings().weight.detach().clone()
    teach(tokenizer, model)
    weight = model.get_input_embeddings().weight
    assert model.get_output_embeddings().weight is weight
    assert len(weight) == len(before) + 4
    for separator, lender in zip((SPEAKER, END), lenders, strict=True):
        assert torch.equal(weight[tokenizer.token_to_id(separator)], before[tokenizer.token_to_id(lender)])
    torch.testing.assert_close(weight[tokenizer.token_to_id(LISTENER)], before.mean(0))


def test_more_tokens_than_the_model_has_positions_for_are_refused(system: Caire) -> None:
    with pytest.raises(UserError, match="positions"):
        build(recipe("caire", "tiny", ["system.max_context=250"]))
    endless = Example("z#2", (DOG,), Turn("listener", "never ending " * 300))
    with pytest.raises(UserError, match="positions"):
        system.log_likelihood([endless])


def test_a_model_comes_from_exactly_one_place() -> None:
    with pytest.raises(UserError, match="either a backbone or"):
        recipe("caire", "tiny", ["system.backbone=smollm2-135m-instruct"])


@pytest.mark.parametrize("preset", ["paper", "gpt2", "offline"])
def test_the_presets_are_valid_and_learn_to_converse_first(preset: str) -> None:
    chosen = recipe("caire", preset)
    corpora = dict.fromkeys(stage.corpus for stage in chosen.stages)
    assert list(corpora) == ["personachat", "empathetic_dialogues"]
    assert chosen.reported == {"emotion accuracy": 51.6, "perplexity": 13.32, "AVG BLEU": 7.03}
