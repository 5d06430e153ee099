"""Texts a second of `Encoder.encode` against `SentenceTransformer.encode`, alternating in one run.

python -m tests.benchmarks.bench_encode TABLE.parquet [--column text] [--texts 2000] [--rounds 3]
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import pyarrow.parquet as pq
from sentence_transformers import SentenceTransformer

from models.encoder import Encoder
from models.sentences import split_sentences


def rate(encode: Callable[[list[str]], Any], texts: list[str]) -> float:
    began = time.perf_counter()
    encode(texts)
    return len(texts) / (time.perf_counter() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table")
    parser.add_argument("--column", default="text")
    parser.add_argument("--texts", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    passages = pq.read_table(options.table, columns=[options.column])[options.column].to_pylist()
    texts = [text[a:b] for text in passages[:5000] for a, b in split_sentences(text)]
    texts = texts[: options.texts]
    ours = Encoder()
    bare = SentenceTransformer(ours.path)
    ours.encode(texts[:64])
    bare.encode(texts[:64])
    ratios = []
    for _ in range(options.rounds):
        a, b = rate(ours.encode, texts), rate(bare.encode, texts)
        ratios.append(a / b)
        print(f"factmill {a:.0f} texts/s, bare {b:.0f} texts/s, ratio {a / b:.2f}", flush=True)
    print(f"median ratio {statistics.median(ratios):.2f}")


if __name__ == "__main__":
    main()
