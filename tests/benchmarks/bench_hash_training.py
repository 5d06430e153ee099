"""What the block size of the hash loss does: held-out rank of the source unit after each round.

    python -m tests.benchmarks.bench_hash_training STORE [--blocks 64 128 512 100000] [--rounds 6]

A block larger than the number of pairs is the loss over all pairs at once.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from models.encoder import Encoder
from models.hash_training import TrainingConfig, reciprocal_rank, train
from schemas.layout import Store
from schemas.manifest import read_manifest
from transforms.training_pairs import encode_pairs, text_pairs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store", type=Path)
    parser.add_argument("--blocks", type=int, nargs="+", default=[64, 128, 512, 100_000])
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--pairs", type=int, default=2000)
    options = parser.parse_args()
    build = Store(options.store).published()
    shards = read_manifest(build).shards
    pairs = encode_pairs(text_pairs(build, shards, options.pairs), Encoder())
    held_out, fitted = np.split(np.random.default_rng(0).permutation(len(pairs)), [len(pairs) // 4])
    for block in options.blocks:
        # As many gradient steps for every block size.
        steps_a_round = max(1, len(fitted) // min(block, len(fitted)))
        rounds = options.rounds * max(1, (len(fitted) // 128) // steps_a_round)
        config = TrainingConfig(block=block, rounds=rounds)
        trained = list(train(pairs.take(fitted), config, "benchmark"))
        for number in sorted({0, 1, rounds // 2, rounds}):
            head, loss = trained[number]
            score = reciprocal_rank(head, pairs.queries[held_out], pairs.units, held_out)
            print(
                f"block {block:6} round {number:4} loss {loss:.3e} held-out MRR {score:.4f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
