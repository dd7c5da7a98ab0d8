"""All runtimes serve the same model: what they generate, stream and score, and what they refuse."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hearten import registry
from hearten.decoding import Decoding
from hearten.engines.engine import Engine, Pair, Runtime, open_engine
from hearten.engines.llama import Llama
from hearten.errors import UserError

pytest.importorskip("torch")
pytest.importorskip("ctranslate2")
pytest.importorskip("xllamacpp")

Opener = Callable[[str, str], Engine]
TEXTS = ["I lost my dog", "Thank you", "I am sad. I hope", "in the park again and again and again", "my"]
FULL = [("ctranslate2", "float32"), ("llamacpp", "F32")]
SMALL = [("ctranslate2", "int8"), ("llamacpp", "Q8_0"), ("llamacpp", "F16"), ("torch", "bfloat16")]
GREEDY = Decoding(max_tokens=12)
DRAWN = Decoding(max_tokens=12, sample=True, temperature=0.9, top_k=40, top_p=0.95, min_p=0.01)


@pytest.fixture
def prompts(tiny: Llama) -> list[list[int]]:
    return [tiny.tokenizer.encode(text).ids for text in TEXTS]


@pytest.mark.parametrize(("name", "precision"), FULL)
def test_greedy_ids_equal_those_of_torch(name: str, precision: str, engine: Opener, prompts: list[list[int]]) -> None:
    expected = engine("torch", "float32").generate(prompts, GREEDY)
    found = engine(name, precision).generate(prompts, GREEDY)
    assert [[one.ids for one in each] for each in found] == [[one.ids for one in each] for each in expected]


@pytest.mark.parametrize(("name", "precision"), FULL)
def test_scores_equal_those_of_torch(name: str, precision: str, engine: Opener, prompts: list[list[int]]) -> None:
    pairs = [Pair(prompt, reply) for prompt in prompts for reply in (prompts[1], prompts[3], [])]
    expected = engine("torch", "float32").score(pairs)
    found = engine(name, precision).score(pairs)
    assert [one.tokens for one in found] == [len(pair.reply) + 1 for pair in pairs]
    assert [one.nats for one in found] == pytest.approx([one.nats for one in expected], abs=1e-3)


@pytest.mark.parametrize(("name", "precision"), [*FULL, *SMALL, ("torch", "float32")])
def test_streaming_gives_what_generating_gives(
    name: str, precision: str, engine: Opener, prompts: list[list[int]]
) -> None:
    opened = engine(name, precision)
    for prompt in prompts:
        [[whole]] = opened.generate([prompt], GREEDY)
        assert tuple(opened.stream(prompt, GREEDY)) == whole.ids


@pytest.mark.parametrize(("name", "precision"), SMALL)
def test_small_precisions_score_like_torch(name: str, precision: str, engine: Opener, prompts: list[list[int]]) -> None:
    pairs = [Pair(prompt, prompts[3]) for prompt in prompts]
    expected = engine("torch", "float32").score(pairs)
    found = engine(name, precision).score(pairs)
    assert [one.nats / one.tokens for one in found] == pytest.approx(
        [one.nats / one.tokens for one in expected], abs=0.3
    )


@pytest.mark.parametrize(
    ("name", "precision", "text"),
    [
        ("ctranslate2", "float32", ""),
        ("ctranslate2", "float32", "beams=4"),
        ("llamacpp", "F32", ""),
        ("llamacpp", "F32", "sample=true,temperature=0.5"),
    ],
)
def test_nats_are_the_log_probability_of_what_was_generated(
    name: str, precision: str, text: str, engine: Opener, prompts: list[list[int]]
) -> None:
    opened, decoding = engine(name, precision), Decoding.parse(f"max_tokens=8,min_tokens=0,{text}")
    for prompt, (best,) in zip(prompts, opened.generate(prompts, decoding), strict=True):
        [whole] = opened.score([Pair(prompt, best.ids)])
        [end] = opened.score([Pair([*prompt, *best.ids], [])])
        is_cut = len(best.ids) == decoding.max_tokens
        assert best.nats == pytest.approx(whole.nats - is_cut * end.nats, abs=1e-3)


@pytest.mark.parametrize("decoding", ["beams=4", "beams=3,length_penalty=2"])
def test_beams_of_ctranslate2_equal_those_of_torch(decoding: str, engine: Opener, prompts: list[list[int]]) -> None:
    asked = Decoding.parse(f"{decoding},max_tokens=8,min_tokens=0")
    expected = engine("torch", "float32").generate(prompts, asked, n=3)
    found = engine("ctranslate2", "float32").generate(prompts, asked, n=3)
    for ours, theirs in zip(found, expected, strict=True):
        assert [one.ids for one in ours] == [one.ids for one in theirs]


def test_ctranslate2_repeats_no_ngram_where_that_is_asked(engine: Opener, prompts: list[list[int]]) -> None:
    asked = Decoding(max_tokens=30, min_tokens=30, no_repeat_ngram=2)
    for (one,) in engine("ctranslate2", "float32").generate(prompts, asked):
        assert len(set(zip(one.ids, one.ids[1:], strict=False))) == 29


@pytest.mark.parametrize("name", ["ctranslate2", "llamacpp", "torch"])
def test_writing_leaves_the_weights_as_they_were(name: str, tmp_path: Path, tiny: Llama) -> None:
    before = {weight: array.copy() for weight, array in tiny.tensors.items()}
    runtime: Runtime = registry.load("engine", name)
    for precision in runtime.precisions:
        (tmp_path / precision).mkdir()
        runtime.write(tiny, tmp_path / precision, precision)
    assert all(np.array_equal(before[weight], array) for weight, array in tiny.tensors.items())


@pytest.mark.parametrize("name", ["llamacpp", "torch"])
def test_a_seed_decides_what_is_drawn_whoever_else_asks(name: str, engine: Opener, prompts: list[list[int]]) -> None:
    opened = engine(name, "F32" if name == "llamacpp" else "float32")
    together = opened.generate(prompts, DRAWN, n=3, seed=5)
    for prompt, drawn in zip(prompts, together, strict=True):
        [alone] = opened.generate([prompt], DRAWN, n=3, seed=5)
        assert [one.ids for one in alone] == [one.ids for one in drawn]
    assert len({one.ids for drawn in together for one in drawn}) == 15
    assert opened.generate(prompts, DRAWN, n=3, seed=6) != together


def test_more_samples_than_slots_all_differ(engine: Opener, prompts: list[list[int]]) -> None:
    [drawn] = engine("llamacpp", "F32").generate(prompts[:1], DRAWN, n=20, seed=1)
    assert len(drawn) == 20 and len({one.ids for one in drawn}) == 20


def test_llamacpp_draws_from_the_distribution_it_is_told_to(
    tiny: Llama, engine: Opener, prompts: list[list[int]]
) -> None:
    prompt, exact = prompts[0], engine("ctranslate2", "float32")
    with_end = exact.score([Pair(prompt, [token]) for token in range(tiny.shape.vocabulary)])
    ends = exact.score([Pair([*prompt, token], []) for token in range(tiny.shape.vocabulary)])
    nats = [whole.nats - end.nats for whole, end in zip(with_end, ends, strict=True)]
    likely = sorted(range(len(nats)), key=lambda token: -nats[token])[:3]
    weights = [math.exp(nats[token] / 0.5) for token in likely]
    first = Decoding(max_tokens=1, sample=True, top_k=3, temperature=0.5)
    [drawn] = engine("llamacpp", "F32").generate([prompt], first, n=240, seed=2)
    shares = [sum(one.ids == (token,) for one in drawn) / len(drawn) for token in likely]
    assert sum(shares) == 1
    assert shares == pytest.approx([weight / sum(weights) for weight in weights], abs=0.1)


@pytest.mark.parametrize(("name", "precision"), [*FULL, ("torch", "float32")])
def test_replies_keep_to_their_limits(name: str, precision: str, engine: Opener, tiny: Llama) -> None:
    opened = engine(name, precision)
    ending = ends_at_once(opened, tiny)
    assert not {len(one.ids) for (one,) in opened.generate(ending, Decoding(max_tokens=5, min_tokens=0))} - {0}
    for least in (1, 3):
        decoding = Decoding(max_tokens=5, min_tokens=least)
        found = opened.generate(ending, decoding)
        assert all(least <= len(one.ids) <= 5 and tiny.end not in one.ids for (one,) in found)
        assert [tuple(opened.stream(prompt, decoding)) for prompt in ending] == [one.ids for (one,) in found]
        assert [one.ids for (one,) in found] == [
            one.ids for (one,) in engine("torch", "float32").generate(ending, decoding)
        ]


def ends_at_once(engine: Engine, tiny: Llama) -> list[list[int]]:
    """Return prompts after which the end is the likeliest token."""
    prompts = [[5, first, second] for first in range(20, 60) for second in range(100, 110)]
    found = engine.generate(prompts, Decoding(max_tokens=1, min_tokens=0))
    ending = [prompt for prompt, (one,) in zip(prompts, found, strict=True) if not one.ids]
    assert ending, "the random model has no such prompt among these; look for it among others"
    return ending[:3]


@pytest.mark.parametrize(("name", "precision"), [*FULL, ("torch", "float32")])
def test_a_closed_stream_leaves_the_engine_free(
    name: str, precision: str, engine: Opener, prompts: list[list[int]]
) -> None:
    opened = engine(name, precision)
    for _ in range(10):  # more than there are slots
        stream = opened.stream(prompts[0], Decoding(max_tokens=400, min_tokens=400))
        next(stream)
        stream.close()  # type: ignore[attr-defined]
    [[found]] = opened.generate(prompts[:1], GREEDY)
    [[expected]] = engine("torch", "float32").generate(prompts[:1], GREEDY)
    assert found.ids == expected.ids


def test_llamacpp_does_not_read_a_conversation_twice(engine: Opener, prompts: list[list[int]]) -> None:
    opened: Any = engine("llamacpp", "F32")
    opened.generate([prompts[3] * 8], GREEDY)
    again = opened._server.handle_completions({"prompt": prompts[3] * 8 + prompts[0], "n_predict": 1})
    assert again["timings"]["prompt_n"] <= len(prompts[0]) + 1


def test_unsupported_options_are_named_with_the_engines_that_can(engine: Opener, prompts: list[list[int]]) -> None:
    with pytest.raises(UserError, match=r"'ctranslate2' cannot decode with sample, top_p; .* can: llamacpp, torch"):
        engine("ctranslate2", "float32").generate(prompts, Decoding(sample=True, top_p=0.9))
    with pytest.raises(UserError, match=r"'llamacpp' cannot decode with no_repeat_ngram; .* can: ctranslate2, torch"):
        engine("llamacpp", "F32").stream(prompts[0], Decoding(no_repeat_ngram=3))
    with pytest.raises(UserError, match=r"'llamacpp' cannot decode with beams; .* can: ctranslate2, torch"):
        engine("llamacpp", "F32").generate(prompts, GREEDY, n=2)
    with pytest.raises(UserError, match=r"cannot decode with diversity, groups; .* can: torch"):
        engine("ctranslate2", "float32").generate(prompts, Decoding(beams=4, groups=2, diversity=0.5))


@pytest.mark.parametrize("name", ["ctranslate2", "torch"])
def test_beams_cannot_be_streamed(name: str, engine: Opener, prompts: list[list[int]]) -> None:
    with pytest.raises(UserError, match="cannot be streamed"):
        engine(name, "float32").stream(prompts[0], Decoding(beams=2))


@pytest.mark.parametrize(("name", "file"), [("ctranslate2", "model.bin"), ("llamacpp", "F32.gguf")])
def test_a_folder_without_a_model_is_refused(name: str, file: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="assemble it again"):
        open_engine(name, tmp_path, end=2)
    (tmp_path / file).write_bytes(b"GGUF")
    with pytest.raises(UserError, match="assemble it again"):
        open_engine(name, tmp_path, end=2)


def test_a_prompt_beyond_the_context_is_refused(engine: Opener) -> None:
    with pytest.raises(UserError, match="exceeds the available context size"):
        engine("llamacpp", "F32").generate([[5] * 2000], GREEDY)


def test_an_engine_without_threads_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="at least one thread"):
        open_engine("torch", tmp_path, end=2, threads=0)
