"""CAiRE: its three losses, one reading for emotion and reply, and its evaluation, on three kinds of language model."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from hearten.artifacts import folder
from hearten.data.source import load_examples
from hearten.dialogue import Example, Turn
from hearten.errors import UserError
from hearten.evaluation import gather
from hearten.evaluation.job import Job, evaluate_target
from hearten.evaluation.metrics import precision_at_one
from hearten.systems.caire.items import Item
from hearten.systems.caire.model import Caire
from hearten.taxonomy import EMOTIONS
from hearten.training.build import build
from hearten.training.loop import train
from hearten.training.settings import recipe

ARCHITECTURES = ["llama", "gpt2", "openai-gpt"]
SMALL = ["system.scratch.hidden=32", "system.decoding.max_tokens=8"]
DOG, SORRY = Turn("speaker", "I lost my dog"), Turn("listener", "I am sorry")


@pytest.fixture(scope="module", params=ARCHITECTURES)
def system(request: pytest.FixtureRequest) -> Caire:
    """A system with random weights, its dialogue states included."""
    built, _ = build(recipe("caire", "tiny", [*SMALL, f"system.scratch.architecture={request.param}"]))
    assert isinstance(built, Caire)
    torch.manual_seed(0)
    for weight in (built._model.get_input_embeddings().states.weight, built.network.selection.weight):
        torch.nn.init.normal_(weight, std=0.3)
    return built


@pytest.fixture(scope="module")
def tests() -> list[Example]:
    return load_examples("sample", "test")[:7]


@torch.no_grad()
def states_by_hand(system: Caire, ids: list[int]) -> torch.Tensor:
    """The last layer's states of one row, with dialogue states worked out one token after the other."""
    marks, embedding = system._marks, system._model.get_input_embeddings()
    opened, states = 2, []
    for token in ids:
        opened = {marks.start: 0, marks.speaker: 1, marks.listener: 2}.get(token, opened)
        states.append(opened)
    embedded = embedding.words(torch.tensor([ids])) + embedding.states(torch.tensor([states]))
    hidden: torch.Tensor = system._model.get_decoder()(inputs_embeds=embedded).last_hidden_state[0]
    return hidden


def nats_by_hand(system: Caire, ids: list[int], begin: int, learned: int) -> float:
    logits = system._model.get_output_embeddings()(states_by_hand(system, ids)).log_softmax(-1)
    return -sum(logits[place - 1, ids[place]].item() for place in range(begin, begin + learned))


def test_the_parts_of_the_loss_are_what_they_are_by_hand(system: Caire, tests: list[Example]) -> None:
    items = system.pack(tests)
    found = {"reply": 0.0, "selection": 0.0, "emotion": 0.0}
    for lesson in (lesson for item in items for lesson in item.lessons):
        assert lesson.distractor is not None
        hidden, wrong = states_by_hand(system, lesson.gold.ids), states_by_hand(system, lesson.distractor.ids)
        found["reply"] += nats_by_hand(system, lesson.gold.ids, lesson.gold.begin, lesson.gold.learned)
        felt = system.network.emotion(hidden[lesson.gold.begin - 1]).log_softmax(-1)
        found["emotion"] -= felt[lesson.emotion].item()
        choice = torch.cat([system.network.selection(hidden[-1]), system.network.selection(wrong[-1])])
        found["selection"] -= choice.log_softmax(-1)[0].item()
    batch = system.collate(items)
    with torch.no_grad():
        sums = system.network(batch.tensors)
    assert {name: value.item() for name, value in sums.items()} == pytest.approx(found, rel=1e-4)
    assert batch.counts["selection"] == batch.counts["emotion"] == len(tests)
    assert system.loss_weights == {"reply": 2.0, "selection": 1.0, "emotion": 1.0}


def test_replies_of_a_dialogue_in_one_sequence_have_the_same_losses(system: Caire, tests: list[Example]) -> None:
    packed = system.pack(tests)
    apart = [Item((lesson,)) for item in packed for lesson in item.lessons]
    assert len(packed) < len(apart) == len(tests)
    batches = [system.collate(items) for items in (packed, apart)]
    assert batches[0].counts == batches[1].counts
    with torch.no_grad():
        together, alone = (system.network(batch.tensors) for batch in batches)
    for part in together:
        torch.testing.assert_close(together[part], alone[part], rtol=1e-4, atol=1e-3)


def test_replies_are_judged_together_as_they_are_alone(system: Caire) -> None:
    texts = ["I am so sorry", "No", "What was it called, and how old was it?"]
    found = system.judge((DOG,), texts)
    alone = system.log_likelihood([Example("x", (DOG,), Turn("listener", text)) for text in texts])
    np.testing.assert_allclose(found.nats, [one.nats for one in alone], rtol=1e-4)
    np.testing.assert_allclose(found.selection, system.affinity([(DOG,)], texts)[0], rtol=1e-3, atol=1e-4)


def test_one_reading_of_the_prompt_gives_emotion_and_reply(system: Caire) -> None:
    read: list[list[int]] = []
    words = system._model.get_input_embeddings()
    hook = words.register_forward_pre_hook(lambda module, inputs: read.extend(inputs[0].tolist()))
    (answer,) = system.answer([(DOG,)])
    hook.remove()
    prompt = system._layout.prompt((DOG,))
    assert read[0] == prompt
    assert read.count(prompt) == 1
    assert len(read) <= system._settings.decoding.max_tokens
    np.testing.assert_allclose(answer.emotions, system.emotions([(DOG,)])[0], rtol=1e-4, atol=1e-6)


def test_a_reply_is_the_likeliest_token_each_time_and_never_a_separator(system: Caire) -> None:
    marks, ids = system._marks, system._layout.prompt((DOG,))
    banned, begin = [marks.start, marks.speaker, marks.listener], len(system._layout.prompt((DOG,)))
    while len(ids) - begin < system._settings.decoding.max_tokens:
        logits = system._model.get_output_embeddings()(states_by_hand(system, ids)[-1])
        logits[banned] = -torch.inf
        if len(ids) == begin:
            logits[marks.end] = -torch.inf
        ids = [*ids, int(logits.argmax())]
        if ids[-1] == marks.end:
            break
    (reply,) = system.reply((DOG,))
    assert reply.text == system._layout.text(ids[begin:])
    nats = nats_by_hand(system, ids, begin, len(ids) - begin)
    assert reply.score == pytest.approx(-nats / (len(ids) - begin), rel=1e-4)


def test_answering_many_is_answering_each(system: Caire, tests: list[Example]) -> None:
    contexts = [example.context for example in tests]
    answers = system.answer(contexts)
    assert [reply.text for reply in system.reply_many(contexts)] == [system.reply(c)[0].text for c in contexts]
    np.testing.assert_allclose(
        np.stack([answer.emotions for answer in answers]), system.emotions(contexts), rtol=1e-4, atol=1e-6
    )


def test_several_replies_differ_and_come_best_first(system: Caire) -> None:
    replies = system.reply((DOG,), n=3)
    assert len({reply.text for reply in replies}) == len(replies) > 1
    assert [reply.score for reply in replies] == sorted((reply.score for reply in replies), reverse=True)


def test_emotions_are_read_from_the_last_token_of_the_prompt(system: Caire, tests: list[Example]) -> None:
    found = system.emotions([example.context for example in tests])
    for example, row in zip(tests, found, strict=True):
        hidden = states_by_hand(system, system._layout.prompt(example.context))
        np.testing.assert_allclose(row, system.network.emotion(hidden[-1]).softmax(-1).detach(), rtol=1e-4, atol=1e-6)
    assert system.emotions([]).shape == (0, len(EMOTIONS))


def test_affinity_is_what_the_selection_head_says_at_the_end_of_each_pair(system: Caire, tests: list[Example]) -> None:
    contexts, candidates = [example.context for example in tests[:3]], ["yes", "I am sorry to hear it"]
    found = system.affinity(contexts, candidates)
    assert found.shape == (3, 2)
    for row, context in enumerate(contexts):
        for column, text in enumerate(candidates):
            ids = system._layout.row(system._layout.prompt(context), text).ids
            assert found[row, column] == pytest.approx(
                system.network.selection(states_by_hand(system, ids)[-1]).item(), rel=1e-3, abs=1e-4
            )


def test_scores_are_sums_over_the_whole_reply_and_its_end(system: Caire, tests: list[Example]) -> None:
    long = Example("l#2", (DOG,), Turn("listener", "so very sorry " * 12))
    examples = [*tests, long]
    for example, found in zip(examples, system.log_likelihood(examples), strict=True):
        row = system._layout.example(example, is_cut=False)
        assert found.tokens == len(row.ids) - row.begin
        assert found.nats == pytest.approx(-nats_by_hand(system, row.ids, row.begin, found.tokens), rel=1e-4)


def test_a_few_steps_lower_all_three_losses(system: Caire, tests: list[Example]) -> None:
    again = restored(system)
    batch = again.collate(again.pack(tests))
    optimiser = torch.optim.AdamW(again.network.parameters(), lr=1e-2)
    losses = []
    for _ in range(25):
        sums = again.network(batch.tensors)
        losses.append({part: value.item() / batch.counts[part] for part, value in sums.items()})
        loss: Any = sum(again.loss_weights[part] * value / batch.counts[part] for part, value in sums.items())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    for part in losses[0]:
        assert losses[-1][part] < 0.8 * losses[0][part]
    assert again._model.get_input_embeddings().states.weight.grad.abs().sum(1).min() > 0


def restored(system: Caire) -> Caire:
    return Caire.restore(system._settings, system.assets(), system.tensors())


def test_what_is_restored_behaves_the_same(system: Caire, tests: list[Example]) -> None:
    again, contexts = restored(system), [example.context for example in tests]
    assert again.reply_many(contexts) == system.reply_many(contexts)
    assert again.log_likelihood(tests) == system.log_likelihood(tests)
    assert (again.emotions(contexts) == system.emotions(contexts)).all()
    assert (again.affinity(contexts[:2], ["yes"]) == system.affinity(contexts[:2], ["yes"])).all()
    assert again._model.get_output_embeddings().weight is again._model.get_input_embeddings().words.weight


def test_a_trained_folder_answers_alone_and_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for part in (gather, precision_at_one):
        monkeypatch.setattr(part, "CHUNK", 10)  # among 100 it takes a hundred times as long
    place = train(recipe("caire", "tiny", [*SMALL, "stage.0.steps=3"]), tmp_path / "model")
    again = folder.load(place)
    copy = folder.load(folder.save(again, folder.read_origin(place), tmp_path / "copy"))
    assert isinstance(again, Caire)
    assert isinstance(copy, Caire)
    assert copy.answer([(DOG, SORRY)])[0].replies == again.answer([(DOG, SORRY)])[0].replies
    metrics = ("perplexity", "bleu", "emotion", "precision_at_one")
    job = Job("sample", "test", limit=20, metrics=metrics, out=tmp_path / "results")
    measured = {score.metric for score in evaluate_target(str(place), "tiny", job).scores}
    assert {"perplexity", "AVG BLEU", "emotion accuracy", "P@1,100"} <= measured


def test_a_run_can_go_on_from_an_earlier_model_or_a_plain_language_model(tmp_path: Path) -> None:
    place = train(recipe("caire", "tiny", ["stage.0.steps=2"]), tmp_path / "first")
    earlier = folder.load(place).tensors()
    later, _ = build(recipe("caire", "tiny", [f"system.start={place}"]))
    assert all((array == later.tensors()[name]).all() for name, array in earlier.items())

    plain = folder.save(*build(recipe("plainlm", "tiny")), tmp_path / "plain")
    kept = folder.load(plain).tensors()
    on_top = build(recipe("caire", "tiny", [f"system.start={plain}"]))[0]
    assert isinstance(on_top, Caire)
    words = kept["model.embed_tokens.weight"]
    assert (on_top._model.get_input_embeddings().words.weight.detach().numpy()[: len(words)] == words).all()
    taken = {name: array for name, array in on_top.tensors().items() if "layers" in name}
    assert taken
    assert all((array == kept[name.removeprefix("causal_lm.")]).all() for name, array in taken.items())
    assert on_top.reply((DOG,))[0].text is not None

    other = folder.save(*build(recipe("bm25", "tiny")), tmp_path / "bm25")
    with pytest.raises(UserError, match="holds a bm25; go on from one of"):
        build(recipe("caire", "tiny", [f"system.start={other}"]))
    with pytest.raises(UserError, match="the shipped weights are a difference"):
        build(recipe("caire", "tiny", ["system.start=shipped"]))
