"""How fast and how faithful the candidate index is: build time, memory, milliseconds a query and recall at ten.

    python benchmarks/index.py --vectors embeddings.npy [--size 1000000] [--threads 1] [--faiss]

`--vectors` is a NumPy file with embeddings of real sentences, one a row; held-out rows are the queries. More candidates
than it has are made by mixing: a real vector, half as much of another, and noise, scaled to the length of the first.
Without it the vectors are random with variances that fall as those of sentence embeddings do. Uniformly random vectors
would be no test: in hundreds of dimensions all of them are about equally far, and nearness means nothing.
"""

import argparse
import resource
import time
from pathlib import Path

import numpy as np

from hearten.retrieval.graph import Graph
from hearten.retrieval.index import Index, exact
from hearten.system import Array

QUERIES = 200
DIMENSION = 384
TOP = 10
MIX, NOISE = 0.5, 0.25


def main() -> None:
    """Measure and print."""
    options = _options()
    candidates, queries = vectors(options.vectors, options.size)
    truth = exact(candidates, queries, TOP + 1)
    print(f"{len(candidates):,} candidates of {candidates.shape[1]} parts, {len(queries)} queries")
    print(f"likeness of the first and the tenth: {truth.scores[:, 0].mean():.3f} {truth.scores[:, TOP - 1].mean():.3f}")
    if options.faiss:  # on its own: faiss and usearch crash within one process
        _faiss(candidates, queries, truth.rows[:, :TOP], options.threads)
        return
    started = time.perf_counter()
    graph = Graph.build(candidates, options.threads)
    print(f"graph built in {time.perf_counter() - started:.1f} s with {options.threads} thread(s)")
    stored = {name: array.nbytes / 1e6 for name, array in graph.stored().items()}
    print(f"vectors {candidates.nbytes / 1e6:.0f} MB, graph {stored['graph']:.0f} MB, peak {_peak():.0f} MB")
    for name, index in {"graph": Index(candidates, 0, graph), "exact": Index(candidates, len(candidates))}.items():
        _report(name, index, queries, truth.rows[:, :TOP])


def vectors(path: Path | None, size: int) -> tuple[Array, Array]:
    """Return candidates and queries."""
    random = np.random.default_rng(0)
    if path is None:
        spread = np.arange(1, DIMENSION + 1) ** -0.5
        real = random.standard_normal((size + QUERIES, DIMENSION), dtype=np.float32) * spread.astype(np.float32)
        real /= np.linalg.norm(real, axis=1, keepdims=True)
    else:
        real = np.load(path, allow_pickle=False)
    queries, known = real[:QUERIES].astype(np.float32), real[QUERIES:].astype(np.float16)
    pieces, total = [known[:size]], min(len(known), size)
    while total < size:
        pieces.append(_mixed(known, min(100_000, size - total), random))
        total += len(pieces[-1])
    return np.concatenate(pieces), queries


def _mixed(known: Array, count: int, random: np.random.Generator) -> Array:
    first, second = (known[random.integers(len(known), size=count)].astype(np.float32) for _ in range(2))
    length = np.linalg.norm(first, axis=1, keepdims=True)
    noise = random.standard_normal(first.shape, dtype=np.float32) * (length / first.shape[1] ** 0.5)
    mixed = first + MIX * second + NOISE * noise
    return np.asarray(mixed * (length / np.linalg.norm(mixed, axis=1, keepdims=True)), dtype=np.float16)


def _report(name: str, index: Index, queries: Array, truth: Array) -> None:
    index.search(queries[:1], TOP)
    times, found = [], []
    for query in queries:
        started = time.perf_counter()
        found.append(index.search(query[None], TOP).rows[0])
        times.append(1000 * (time.perf_counter() - started))
    _print(name, times, recall(found, truth))


def recall(found: list[Array], truth: Array) -> float:
    """Return the share of the true ten that were found."""
    return float(np.mean([len(set(row) & set(right)) / TOP for row, right in zip(found, truth, strict=True)]))


def _print(name: str, times: list[float], share: float) -> None:
    middle, late = np.quantile(times, [0.5, 0.95])
    print(f"{name}: {middle:.2f} ms a query (median), {late:.2f} ms (95%), recall@{TOP} {share:.4f}")


def _faiss(candidates: Array, queries: Array, truth: Array, threads: int) -> None:
    """Measure an inverted file with exact vectors, for comparison."""
    import faiss  # type: ignore[import-untyped]

    faiss.omp_set_num_threads(threads)
    wide = candidates.astype(np.float32)
    lists = int(4 * len(wide) ** 0.5)
    index = faiss.index_factory(wide.shape[1], f"IVF{lists},Flat", faiss.METRIC_INNER_PRODUCT)
    started = time.perf_counter()
    index.train(wide[: 40 * lists])
    index.add(wide)
    print(f"faiss IVF{lists} built in {time.perf_counter() - started:.1f} s")
    for probes in (lists // 16, lists // 4):
        index.nprobe = probes
        times, found = [], []
        for query in queries:
            started = time.perf_counter()
            found.append(index.search(query[None], TOP)[1][0])
            times.append(1000 * (time.perf_counter() - started))
        _print(f"faiss, {probes} lists", times, recall(found, truth))


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vectors", type=Path)
    parser.add_argument("--size", type=int, default=100_000)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--faiss", action="store_true", help="measure an inverted file of faiss instead")
    return parser.parse_args()


if __name__ == "__main__":
    main()
