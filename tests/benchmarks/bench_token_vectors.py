"""Time of a text's token vectors: NumPy, as queries and readings make them, and PyTorch.

    python -m tests.benchmarks.bench_token_vectors STORE [--runs N]

    tokens, milliseconds of one core in NumPy and in PyTorch with one thread, their ratio

Both have the weights of the store's encoder and take turns; the times are medians.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import numpy as np
import torch

from factmill.models.answering.span_models import torch_bert
from factmill.models.arrays import Floats, Integers
from factmill.models.encoding.bert import Bert
from factmill.models.encoding.published_encoder import PublishedEncoder
from factmill.schemas.layout import Store
from factmill.schemas.storage.paths import parse_storage_path

LENGTHS = (6, 12, 20, 40, 60, 90, 120, 150, 256, 512)


def bert_of(store: str) -> Bert:
    """The encoder of the published build."""
    build = Store(parse_storage_path(store)).published()
    return PublishedEncoder(build.query_encoder).bert


def in_torch(bert: Bert) -> Callable[[Integers], Floats]:
    """The same model in PyTorch."""
    weights = {name: torch.from_numpy(value) for name, value in bert.weights.items()}

    def vectors(tokens: Integers) -> Floats:
        ids = torch.from_numpy(tokens)[None]
        seen = torch.ones_like(ids, dtype=torch.bool)
        apart = torch_bert.relative_scores(bert, ids.shape[1])
        values = torch_bert.embedded(weights, bert, ids)
        for number in range(bert.shape.layers):
            values = torch_bert.layer(weights, bert, number, values, seen, apart)
        found: Floats = values[0].numpy()
        return found

    return vectors


def main() -> None:
    """Print a line for each length."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store")
    parser.add_argument("--runs", type=int, default=30)
    options = parser.parse_args()
    torch.set_num_threads(1)
    bert = bert_of(options.store)
    other = in_torch(bert)
    models: tuple[Callable[[Integers], Floats], ...] = (bert, other)
    draw = np.random.default_rng(1)
    for length in LENGTHS:
        tokens = draw.integers(0, bert.vocabulary_size, min(length, bert.longest))
        times: tuple[list[float], list[float]] = ([], [])
        with torch.inference_mode():
            np.testing.assert_allclose(bert(tokens), other(tokens), atol=1e-3)
            for _ in range(options.runs):
                for model, of_model in zip(models, times, strict=True):
                    began = time.process_time()
                    model(tokens)
                    of_model.append(1000 * (time.process_time() - began))
        ours, theirs = map(statistics.median, times)
        print(f"{len(tokens):4} {ours:7.1f} {theirs:7.1f} {ours / theirs:5.2f}", flush=True)


if __name__ == "__main__":
    main()
