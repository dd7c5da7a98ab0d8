"""What settings do to the scores of the next token, (rows, vocabulary): pure functions, each giving new scores.

Rules about repetition look at the reply alone, not at the prompt: a good listener takes up the speaker's words, and in
an encoder-decoder model the prompt is not part of the text at all. transformers counts the prompt of a causal model in.
"""

import math
from collections.abc import Iterable, Sequence

import torch
from torch import Tensor

from hearten.decoding import Decoding

NEVER = -math.inf
Ids = Sequence[int]


def constrain(scores: Tensor, written: Sequence[Ids], decoding: Decoding, end: int, banned: Ids) -> Tensor:
    """Apply the rules about what may come after what each row has written; all rows are equally long."""
    allowed = scores
    if decoding.repetition_penalty != 1:
        allowed = penalise_repetition(allowed, written, decoding.repetition_penalty)
    if decoding.no_repeat_ngram:
        allowed = block_ngrams(allowed, written, decoding.no_repeat_ngram)
    is_short = len(written[0]) < decoding.min_tokens
    allowed = forbid(allowed, [*banned, end] if is_short else banned)
    return _with_a_way_out(allowed, scores, end)


def _with_a_way_out(allowed: Tensor, scores: Tensor, end: int) -> Tensor:
    """Let a row end where the rules leave it nothing to say."""
    is_stuck = allowed.amax(1) == NEVER
    ends = torch.where(is_stuck, scores[:, end], allowed[:, end])
    return allowed.index_copy(1, torch.tensor([end], device=scores.device), ends[:, None])


def penalise_repetition(scores: Tensor, written: Sequence[Ids], penalty: float) -> Tensor:
    """Divide the positive scores of tokens that a row has written by the penalty, and multiply the negative ones."""
    places = _places((set(ids) for ids in written), scores)
    found = scores[places]
    return scores.index_put(places, torch.where(found < 0, found * penalty, found / penalty))


def block_ngrams(scores: Tensor, written: Sequence[Ids], size: int) -> Tensor:
    """Forbid each row the tokens that would repeat `size` tokens of it."""
    places = _places((_repeating(ids, size) for ids in written), scores)
    return scores.index_put(places, scores.new_tensor(NEVER))


def _repeating(ids: Ids, size: int) -> set[int]:
    last = len(ids) - size + 1
    return {ids[begin + size - 1] for begin in range(last) if ids[begin : begin + size - 1] == ids[last:]}


def forbid(scores: Tensor, tokens: Ids) -> Tensor:
    """Forbid tokens in all rows."""
    return scores.index_fill(1, torch.tensor(tokens, dtype=torch.long, device=scores.device), NEVER)


def discourage(scores: Tensor, taken: Sequence[Ids], diversity: float) -> Tensor:
    """Lower each row's scores of tokens by `diversity` for each time that others have taken them."""
    places = _places(taken, scores)
    return scores.index_put(places, scores.new_tensor(-diversity), accumulate=True)


def warp(scores: Tensor, decoding: Decoding) -> Tensor:
    """Shape the distribution that is sampled from: temperature first, then what is cut off."""
    scores = scores / decoding.temperature
    if decoding.top_k:
        scores = keep_top_k(scores, decoding.top_k)
    if decoding.top_p < 1:
        scores = keep_top_p(scores, decoding.top_p)
    return keep_min_p(scores, decoding.min_p) if decoding.min_p else scores


def keep_top_k(scores: Tensor, k: int) -> Tensor:
    """Keep the `k` best tokens of each row, and those as good as the last of them."""
    least = scores.topk(min(k, scores.shape[1])).values[:, -1:]
    return scores.masked_fill(scores < least, NEVER)


def keep_top_p(scores: Tensor, p: float) -> Tensor:
    """Keep the fewest best tokens of each row that have probability `p` together."""
    ranked, order = scores.sort(descending=True)
    probabilities = ranked.softmax(1)
    better = probabilities.cumsum(1) - probabilities  # of all tokens before this one
    return scores.masked_fill((better >= p).gather(1, order.argsort()), NEVER)


def keep_min_p(scores: Tensor, share: float) -> Tensor:
    """Keep the tokens of each row that have at least this share of the best token's probability."""
    return scores.masked_fill(scores < scores.amax(1, keepdim=True) + math.log(share), NEVER)


def _places(tokens: Iterable[Iterable[int]], scores: Tensor) -> tuple[Tensor, Tensor]:
    pairs = [(row, token) for row, ids in enumerate(tokens) for token in ids]
    rows, columns = torch.tensor(pairs, dtype=torch.long, device=scores.device).reshape(-1, 2).T
    return rows, columns
