"""Time of finding segments by their words: our index and bm25s, on one core.

    python -m tests.benchmarks.bench_lexical DATA [--copies 3] [--shards 16] [--questions 500]
        [--passages N]

DATA contains passages.parquet and questions.train.jsonl. In each copy after the first, a third of
the words are changed, others in each, so that the vocabulary grows with the segments. Both sides
index the same words with the same formula (bm25s: `lucene`), so their scores must agree if all
words of a query are read. Needs bm25s.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
import zlib
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import bm25s
import numpy as np

from factmill.models.encoding.encoder import segment_text
from factmill.models.lexical.bm25 import K1, B, words
from factmill.models.text.sentences import split_sentences
from factmill.runtime.lexical import bm25_scores as lexical
from factmill.runtime.lexical.bm25_scores import LexicalIndex
from factmill.runtime.lexical.lexical_shard import LexicalShard
from factmill.transforms.clean.segment_page import segment_page
from factmill.transforms.index.mapped_tables import write_all_mapped
from tests.benchmarks.bench_units import read_passages
from tests.lexical_tables import lexical_tables

COUNT = 100


def segment_texts(path: Path, count: int) -> list[str]:
    """The segments of this many passages (0: all), title first."""
    return [
        segment_text(page.title, segment.text)
        for page in read_passages(path, set(), count)
        for segment in segment_page(page, (), (), split_sentences(page.text), frozenset())
    ]


def changed(text: str, copy: int) -> str:
    """The text with about a third of its words changed; the copy decides which."""
    return " ".join(
        f"{word}{copy}" if copy and zlib.crc32(f"{copy}{word}".encode()) % 3 == 0 else word
        for word in words(text)
    )


def folder_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def milliseconds(search: Callable[[str], object], queries: Sequence[str]) -> float:
    """This thread's processor time per query, the best of three rounds."""
    rounds = []
    for _ in range(3):
        start = time.thread_time()
        for query in queries:
            search(query)
        rounds.append(time.thread_time() - start)
    return 1000 * min(rounds) / len(queries)


def build_ours(texts: Sequence[str], folder: Path, shards: int) -> LexicalIndex:
    """An open index with this many shards."""
    bounds = [len(texts) * shard // shards for shard in range(shards + 1)]
    opened = []
    for number, (start, stop) in enumerate(pairwise(bounds)):
        write_all_mapped(folder / f"{number:03d}", lexical_tables(texts[start:stop]))
        opened.append(LexicalShard.open(folder / f"{number:03d}"))
    return LexicalIndex(opened)


def build_theirs(texts: Sequence[str], folder: Path) -> bm25s.BM25:
    vocabulary: dict[str, int] = {}
    ids = [[vocabulary.setdefault(w, len(vocabulary)) for w in words(text)] for text in texts]
    index = bm25s.BM25(method="lucene", k1=K1, b=B, backend="numba")
    index.index((ids, vocabulary), show_progress=False)
    index.save(str(folder))
    return bm25s.BM25.load(str(folder), mmap=True)


def compare_scores(ours: LexicalIndex, theirs: bm25s.BM25, queries: Sequence[str]) -> None:
    """Print how often both sides find the same best segments when all words are read."""
    share, lexical._POSTINGS_SHARE = lexical._POSTINGS_SHARE, 1e9
    same, farthest = [], 0.0
    for query in queries:
        asked = sorted(set(words(query)) & theirs.vocab_dict.keys())
        scores = theirs.get_scores(asked)
        segments, values = ours.search(query, COUNT)
        farthest = max(farthest, float(np.abs(scores[segments] - values).max(initial=0)))
        best = np.sort(scores)[::-1][: len(segments)]
        same.append(float(np.allclose(best, values, rtol=1e-4, atol=1e-4)))
    lexical._POSTINGS_SHARE = share
    print(f"same best {COUNT} scores: {np.mean(same):.3f} of queries; farthest {farthest:.2g}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--passages", type=int, default=0, help="0 stands for all")
    parser.add_argument("--copies", type=int, default=1)
    parser.add_argument("--shards", type=int, default=16)
    parser.add_argument("--questions", type=int, default=500)
    options = parser.parse_args()
    lines = (options.data / "questions.train.jsonl").read_text(encoding="utf-8").splitlines()
    queries = [json.loads(line)["question"] for line in lines[: options.questions]]
    once = segment_texts(options.data / "passages.parquet", options.passages)
    texts = [changed(text, copy) for copy in range(options.copies) for text in once]
    with tempfile.TemporaryDirectory() as temporary:
        start = time.process_time()
        ours = build_ours(texts, Path(temporary) / "ours", options.shards)
        built = time.process_time() - start
        start = time.process_time()
        theirs = build_theirs(texts, Path(temporary) / "theirs")
        built_theirs = time.process_time() - start
        sizes = [folder_bytes(Path(temporary) / name) for name in ("ours", "theirs")]
        print(f"{len(texts):,} segments in {options.shards} shards, {len(queries)} queries")
        compare_scores(ours, theirs, queries[:50])
        vocabulary = theirs.vocab_dict

        def retrieve(query: str) -> object:
            asked = sorted(set(words(query)) & vocabulary.keys())
            return theirs.retrieve([asked], k=COUNT, show_progress=False, n_threads=1)

        def get_scores(query: str) -> object:
            return theirs.get_scores(sorted(set(words(query)) & vocabulary.keys()))

        retrieve(queries[0])
        print(f"{'':24}{'ms/query':>9}{'bytes/segment':>15}{'build s':>9}")
        for name, search, size, seconds in (
            ("ours, best 100", lambda query: ours.search(query, COUNT), sizes[0], built),
            ("ours, scores", ours.scores, sizes[0], built),
            ("bm25s, best 100", retrieve, sizes[1], built_theirs),
            ("bm25s, scores", get_scores, sizes[1], built_theirs),
        ):
            time_of_one = milliseconds(search, queries)
            print(f"{name:24}{time_of_one:9.3f}{size / len(texts):15.1f}{seconds:9.1f}")


if __name__ == "__main__":
    main()
