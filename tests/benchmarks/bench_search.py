"""Time, memory and size of searching a published index, on one core and on all cores.

    python -m tests.benchmarks.bench_search STORE QUESTIONS.jsonl [--queries 200] [--random]

Times everything except encoding: candidates, ranking, and the texts of 20 hits with their units.
For comparison, the same run times exact search over as many float vectors as the index has rows:
those of 40_vectors or, with `--random`, random ones of the same shape (the time is the same). Each
time is the median over queries; the total without encoding is that of five passes. Opening is
measured in a separate process.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import faiss
import numpy as np

from factmill.models.arrays import Floats
from factmill.models.codes.hash_head import HashHead
from factmill.runtime import Index, open_index
from factmill.runtime.evaluate import read_questions
from factmill.runtime.search.candidates import WITH_WORDS
from factmill.runtime.search.scoring import Scoring
from factmill.schemas.layout import INDEX
from factmill.schemas.lexical_files import LEXICAL_FILES
from factmill.schemas.storage.paths import files_below, version
from factmill.schemas.tables import VECTORS
from factmill.transforms.tasks.shard_files import read_batches

K = 20
_EXACT_QUERIES = 9
_PASSES = 5
# Any part of these files may be read by any search; other files have texts, read only for hits.
_CODES = ("codes.faiss", "lists.arrow", "list_starts.arrow", "centroids.faiss")
_OPENING = """
import sys, time
def resident():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1000
import faiss, numpy, pyarrow
bare = resident()
import factmill.runtime
began = time.perf_counter()
index = factmill.runtime.open_index(sys.argv[1])
seconds = time.perf_counter() - began
loaded = [name for name in ("torch", "numba") if name in sys.modules]
print(f"opening: {seconds:.3f} s; {resident():.0f} MB resident, {bare:.0f} MB of it Python with "
      f"numpy, pyarrow and faiss; loaded: {loaded or 'neither torch nor numba'}")
"""


def milliseconds(run: Callable[[Any], object], items: Iterable[Any]) -> list[float]:
    """The time of each call."""
    times = []
    for item in items:
        began = time.perf_counter()
        run(item)
        times.append(1000 * (time.perf_counter() - began))
    return times


def print_times(name: str, times: Sequence[float]) -> None:
    low = sorted(times)[len(times) // 10]
    print(f"{name:28} {statistics.median(times):8.3f} ms a query ({low:.3f} in the fastest tenth)")


def float_vectors(index: Index, rows: int, random: bool) -> Floats:
    """The vectors of 40_vectors in the order of the files, or random ones."""
    dimension = HashHead.load(index.build.hash_head).dimension
    if random:
        return np.random.default_rng(0).standard_normal((rows, dimension), dtype=np.float32)
    vectors = np.empty((rows, dimension), np.float32)
    first = 0
    for shard in range(index.manifest.shards):
        for batch in read_batches(index.build.part(VECTORS, shard), ["embedding"]):
            values = batch["embedding"].flatten().to_numpy().reshape(-1, dimension)
            vectors[first : first + len(values)] = values
            first += len(values)
    return vectors


def exact_times(vectors: Floats) -> list[float]:
    exact: Any = faiss.IndexFlatIP(vectors.shape[1])
    exact.add(vectors)
    queries = np.random.default_rng(1).standard_normal(
        (_EXACT_QUERIES, vectors.shape[1]), dtype=np.float32
    )
    return milliseconds(lambda query: exact.search(query[None], K), queries)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--random", action="store_true", help="random vectors for exact search")
    options = parser.parse_args()
    subprocess.run([sys.executable, "-c", _OPENING, str(options.store)], check=True)
    index = open_index(options.store)
    rows = index.manifest.tables[INDEX].rows
    files = files_below(index.build.root / INDEX)
    codes, words = (
        sum(version(path)[0] for path in files if path.name in names)
        for names in (_CODES, LEXICAL_FILES)
    )
    # Each row also needs its segment's number, each segment four numbers, of four bytes each.
    touched = codes / max(1, rows) + 4 + 16 * index.segments / max(1, rows)
    print(
        f"{rows} rows; a search by codes may touch {touched:.1f} bytes a row, "
        f"with words {touched + words / max(1, rows):.1f}"
    )

    texts = [question.text for question in read_questions(options.questions)]
    began = time.perf_counter()
    index.search(texts[0])
    print(f"first query, encoder loaded: {time.perf_counter() - began:.1f} s")
    queries = index.encode(texts[: options.queries])
    pages = [index.page_search.pages(query, K) for query in queries]

    everything = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(everything)})
    faiss.omp_set_num_threads(1)
    print("one core:")
    candidates = milliseconds(
        lambda query: index.page_search.candidates(query, K, effort=WITH_WORDS), queries
    )
    ranked = milliseconds(lambda query: index.page_search.pages(query, K), queries)
    read = milliseconds(
        lambda pair: index.page_search.read(pair[0], pair[1], K),
        list(zip(queries, pages, strict=True)),
    )
    passes = _PASSES * queries
    whole = milliseconds(
        lambda query: index.page_search.read(query, index.page_search.pages(query, K), K), passes
    )
    print_times("candidates", candidates)
    print_times(
        "words and ranking", [both - one for both, one in zip(ranked, candidates, strict=True)]
    )
    print_times("texts of 20 hits", read)
    print_times("all without encoding", whole)
    by_codes = milliseconds(
        lambda query: index.page_search.read(
            query, index.page_search.pages(query, K, Scoring(lexical=False)), K
        ),
        queries,
    )
    print_times("the same by codes alone", by_codes)
    exact = exact_times(float_vectors(index, rows, options.random))
    print_times("exact float search", exact)
    print(f"exact search takes {min(exact) / statistics.median(whole):.0f} times as long")

    os.sched_setaffinity(0, everything)
    many = queries * max(1, 2000 // len(queries))
    began = time.perf_counter()
    index.search_encoded(many, K)
    seconds = time.perf_counter() - began
    print(f"{len(everything)} cores: {len(many) / seconds:.0f} queries a second without encoding")


if __name__ == "__main__":
    main()
