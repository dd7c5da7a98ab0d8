"""llama.cpp through xllamacpp: seeded sampling, and slots that keep what was computed of each conversation.

The binding takes ids but gives text. Our GGUF file therefore has a vocabulary of its own, in which the text of token 17
is `17,`: a completion spells its ids, and no half of a character is ever held back from a stream. A person's words
never meet that vocabulary. A reply is scored by a grammar that allows nothing else.

xllamacpp always opens a server; it is bound to a socket file in a private folder and wants a key that nobody has.
"""

import importlib
import json
import math
import secrets
import shutil
import tempfile
import threading
import weakref
import zlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple

from hearten.decoding import Decoding
from hearten.engines import gguf_files
from hearten.engines.engine import Generated, Ids, Pair, Runtime, require_options, require_streamable
from hearten.engines.llama import Llama
from hearten.errors import MissingExtra, UserError
from hearten.system import LogLikelihood

NAME = "llamacpp"
PRECISIONS = ("Q8_0", "F16", "F32")
OPTIONS = ("max_tokens", "min_tokens", "sample", "temperature", "top_k", "top_p", "min_p")
SLOTS = 8
"""Sequences that are computed together, each with a cache of its own."""
CONTEXT = 1024
"""Tokens of one sequence at most."""
REMEMBERED = 256
"""Megabytes of caches that are kept after their slot went to another conversation."""
Json = dict[str, Any]


class Step(NamedTuple):
    """One token of a completion, and its log probability."""

    id: int
    nats: float


def write(model: Llama, folder: Path, precision: str) -> None:
    """Write a GGUF file that is named after its precision."""
    gguf_files.write(model, folder / f"{precision}.gguf", precision)


class LlamaCppEngine:
    """A loaded llama.cpp server that is spoken to in process."""

    def __init__(self, folder: Path, end: int, threads: int, workers: int) -> None:
        self._end = end
        private = Path(tempfile.mkdtemp(prefix="hearten-"))
        self._clean_up = weakref.finalize(self, shutil.rmtree, private, ignore_errors=True)
        try:
            (path,) = folder.glob("*.gguf")
            self._server: Any = _server(path, private / "engine.sock", threads * workers)
        except (RuntimeError, ValueError) as error:
            self._clean_up()
            raise UserError(f"{folder} does not hold a model for llama.cpp ({error}); assemble it again") from None
        self._callers = ThreadPoolExecutor(SLOTS, thread_name_prefix=NAME)

    def generate(self, prompts: Sequence[Ids], decoding: Decoding, n: int = 1, seed: int = 0) -> list[list[Generated]]:
        """Return `n` continuations of each prompt; a prompt's own ids and the seed decide what is drawn."""
        require_options(NAME, decoding, n)
        jobs = [(prompt, first, min(SLOTS, n - first)) for prompt in prompts for first in range(0, n, SLOTS)]
        parts = self._callers.map(lambda job: self._several(job, decoding, seed), jobs)
        flat = [generated for part in parts for generated in part]
        return [flat[first : first + n] for first in range(0, len(flat), n)]

    def stream(self, prompt: Ids, decoding: Decoding, seed: int = 0) -> Iterator[int]:
        """Give the ids of one continuation as they are made."""
        require_options(NAME, decoding)
        require_streamable(decoding)
        return self._stream(prompt, decoding, _seed(seed, prompt))

    def score(self, pairs: Sequence[Pair]) -> list[LogLikelihood]:
        """Return the log likelihood of each reply and its end, token after token."""
        return list(self._callers.map(self._score, pairs))

    def close(self) -> None:
        """Stop the server."""
        self._callers.shutdown()
        self._server = None
        self._clean_up()

    def _several(self, job: tuple[Ids, int, int], decoding: Decoding, seed: int) -> list[Generated]:
        """Continue a prompt several times; it is read once, and the samples are numbered from the first on."""
        prompt, first, count = job
        own = _seed(seed, prompt) + first
        found = self._ask(_request(prompt, decoding, own) | {"n_cmpl": count})
        made = [self._lengthened(prompt, steps, decoding, own + place) for place, steps in enumerate(found)]
        return [Generated(tuple(_ids(self._words(steps))), math.fsum(step.nats for step in steps)) for steps in made]

    def _lengthened(self, prompt: Ids, steps: list[Step], decoding: Decoding, seed: int) -> list[Step]:
        """Go on where a reply ended before its time; drawing anew without the end is what forbidding it would give."""
        written = self._words(steps)
        if len(written) >= decoding.min_tokens:
            return steps
        request = _request([*prompt, *_ids(written)], decoding, seed + len(written))
        request |= {"n_predict": decoding.min_tokens - len(written), "logit_bias": [[self._end, False]]}
        written += self._ask(request)[0]
        rest = decoding.max_tokens - len(written)
        if not rest:
            return written
        request = _request([*prompt, *_ids(written)], decoding, seed + len(written)) | {"n_predict": rest}
        return written + self._ask(request)[0]

    def _words(self, steps: Sequence[Step]) -> list[Step]:
        return [step for step in steps if step.id != self._end]

    def _stream(self, prompt: Ids, decoding: Decoding, seed: int) -> Iterator[int]:
        written: list[Step] = []
        for token in self._tokens(_request(prompt, decoding, seed)):
            written.append(Step(token, 0.0))
            yield token
        yield from _ids(self._words(self._lengthened(prompt, written, decoding, seed)[len(written) :]))

    def _tokens(self, request: Json) -> Iterator[int]:
        """Run a request in another thread, which hands over ids and stops when nobody listens any more."""
        chunks: SimpleQueue[Json | None] = SimpleQueue()
        is_closed = threading.Event()

        def hand_over(chunk: Json) -> bool:
            chunks.put(chunk)
            return is_closed.is_set()

        def run() -> None:
            try:
                self._server.handle_completions(request | {"stream": True}, hand_over)
            finally:
                chunks.put(None)

        done = self._callers.submit(run)
        try:
            while (chunk := chunks.get()) is not None:
                yield from (int(word) for word in _checked(chunk)["choices"][0]["text"].split(",")[:-1])
            done.result()
        finally:
            is_closed.set()

    def _score(self, pair: Pair) -> LogLikelihood:
        count = len(pair.reply) + 1
        spelled = "".join(f"{number}," for number in pair.reply)
        request = _request(pair.prompt, Decoding(max_tokens=count), seed=0)
        (steps,) = self._ask(request | {"grammar": f"root ::= {json.dumps(spelled)}"})
        if _ids(steps) != [*pair.reply, self._end]:
            raise RuntimeError("llama.cpp did not follow the reply that it was to score")
        return LogLikelihood(math.fsum(step.nats for step in steps), count)

    def _ask(self, request: Json) -> list[list[Step]]:
        """Return the tokens of each completion, the end token included, with their log probabilities."""
        answer = _checked(self._server.handle_completions(request | {"n_probs": 1}))
        return [
            [Step(token["id"], token["logprob"]) for token in choice["logprobs"]["content"]]
            for choice in answer["choices"]
        ]


def _server(path: Path, socket: Path, threads: int) -> Any:
    try:
        xllamacpp: Any = importlib.import_module("xllamacpp")
    except ImportError as error:
        raise MissingExtra(f"the engine '{NAME}'", extra="engines") from error
    options = xllamacpp.CommonParams()
    options.model.path = str(path)
    options.n_parallel, options.n_ctx = SLOTS, SLOTS * CONTEXT
    options.cpuparams.n_threads = options.cpuparams_batch.n_threads = threads
    options.n_threads_http = 1
    if path.stem == "F32":  # otherwise what is kept of a conversation is F16
        options.cache_type_k = options.cache_type_v = xllamacpp.ggml_type.GGML_TYPE_F32
        options.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    options.cache_ram_mib = REMEMBERED
    options.hostnames, options.api_keys = [str(socket)], [secrets.token_hex()]
    options.ui = options.endpoint_slots = options.use_jinja = options.fit_params = options.warmup = False
    options.verbosity = -1
    return xllamacpp.Server(options)


def _request(prompt: Ids, decoding: Decoding, seed: int) -> Json:
    request: Json = {"prompt": list(prompt), "n_predict": decoding.max_tokens, "seed": seed}
    if not decoding.sample:
        return request | {"samplers": ["top_k"], "top_k": 1}
    names = ["temperature", "top_k", "top_p", "min_p"]
    return request | {"samplers": names} | {name: getattr(decoding, name) for name in names}


def _seed(seed: int, prompt: Ids) -> int:
    """Make dice of the seed and the prompt, so that a prompt is answered alike alone and among others."""
    return zlib.crc32(f"{seed}/{','.join(map(str, prompt))}".encode()) >> 1


def _ids(steps: Sequence[Step]) -> list[int]:
    return [step.id for step in steps]


def _checked(answer: Json) -> Json:
    if "error" in answer:
        message = answer["error"].get("message", answer["error"])
        raise UserError(f"llama.cpp refused: {message}. A prompt and its reply may have {CONTEXT} tokens at most")
    return answer


PLUGIN = Runtime(PRECISIONS, frozenset(OPTIONS), write, LlamaCppEngine)
