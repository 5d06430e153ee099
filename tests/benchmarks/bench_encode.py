"""Texts per second of `Encoder.encode` and of the job encode, compared with a bare
`SentenceTransformer.encode`, alternating in one run over the same texts, sorted by length.

    python -m tests.benchmarks.bench_encode TABLE.parquet [--column text] [--texts 2000]
        [--rounds 3] [--batches 8 16 32 64]

The bare library uses all cores, with its default batch size and the given ones. The job runs on a
build with these texts as propositions; its time includes starting workers and loading the model.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from sentence_transformers import SentenceTransformer

from factmill.models.encoding.encoder import Encoder
from factmill.models.text.sentences import split_sentences
from factmill.pipelines.encode import encode
from factmill.pipelines.job import Job
from factmill.pipelines.progress.quiet_logs import quiet_logs
from factmill.pipelines.runners.run_job import RunOptions
from factmill.pipelines.settings import BuildSettings
from factmill.schemas.ids import content_id
from factmill.schemas.layout import BuildDir, Store
from factmill.schemas.records import Page, Proposition
from factmill.schemas.tables import TABLES
from factmill.transforms.tasks.shard_files import count_rows, shard_writers
from tests.hash_heads import symmetric_head

_SHARDS = 4


def texts_of(path: str, column: str, count: int) -> list[str]:
    """The distinct sentences of the table's first texts, shortest first."""
    passages = pq.read_table(path, columns=[column])[column].to_pylist()
    texts = dict.fromkeys(text[a:b] for text in passages[:5000] for a, b in split_sentences(text))
    return sorted(list(texts)[:count], key=len)


def prepared_build(root: Path, texts: list[str], encoder: Encoder) -> BuildDir:
    """An unfinished build with one page without a title; its propositions are the texts."""
    build = Store(root).build("bench")
    page = content_id("bench")
    for shard in range(_SHARDS):
        with shard_writers(build, shard, TABLES) as writers:
            by_table = dict(zip(TABLES, writers, strict=True))
            by_table["10_pages"].add([Page(page, "", "", "", "", "", None, "")])
            by_table["20_propositions"].add(
                Proposition(content_id("bench", text), page, page, 0, text, 0, len(text), "bench")
                for text in texts[shard::_SHARDS]
            )
    weight = np.random.default_rng(1).normal(size=(384, encoder.dimension)).astype(np.float32)
    symmetric_head(weight, np.zeros(384, np.float32), encoder.fingerprint, 1).save(build.hash_head)
    return build


def run_encode(texts: list[str], encoder: Encoder, jobs: int) -> float:
    """Run the job; returns its seconds."""
    with tempfile.TemporaryDirectory() as folder:
        build = prepared_build(Path(folder), texts, encoder)
        settings = BuildSettings(inputs=(), shards=_SHARDS)
        began = time.perf_counter()
        encode(Job(build, settings, None, RunOptions(jobs)))
        seconds = time.perf_counter() - began
        assert count_rows(build, "40_vectors", _SHARDS) == len(texts)
        return seconds


def seconds_of(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table")
    parser.add_argument("--column", default="text")
    parser.add_argument("--texts", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--batches", type=int, nargs="+", default=[8, 16, 32, 64])
    options = parser.parse_args()
    quiet_logs()
    texts = texts_of(options.table, options.column, options.texts)
    ours = Encoder()
    bare = SentenceTransformer(ours.path)
    runs: dict[str, Callable[[], float]] = {
        f"bare, {size} a batch": partial(
            seconds_of, partial(bare.encode, texts, batch_size=size, show_progress_bar=False)
        )
        for size in sorted({32, *options.batches})
    }
    runs["Encoder.encode"] = partial(seconds_of, partial(ours.encode, texts))
    runs["job encode"] = partial(run_encode, texts, ours, os.cpu_count() or 1)
    ours.encode(texts[:64])
    bare.encode(texts[:64])
    rates: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(options.rounds):
        for name, run in runs.items():
            rates[name].append(len(texts) / run())
            print(f"{name}: {rates[name][-1]:.0f} texts/s", flush=True)
    middle = {name: statistics.median(values) for name, values in rates.items()}
    best = max(rate for name, rate in middle.items() if name.startswith("bare"))
    for name, rate in middle.items():
        shares = f"{rate / middle['bare, 32 a batch']:.2f} of bare, {rate / best:.2f} of its best"
        print(f"{name}: median {rate:.0f} texts/s, {shares}")


if __name__ == "__main__":
    main()
