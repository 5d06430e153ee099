"""How the hash head is trained: weights of the losses, sizes, and the seed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TrainingConfig:
    """Weights of the losses and sizes of the training; measured in docs/log.md.

    `gamma` weighs quantisation within HASH-RAG's loss. A round is one pass over all blocks of
    `block` queries, each with `negatives` hard negatives, at most `steps` of them.
    """

    bits: int = 384
    gamma: float = 100.0
    asymmetric: float = 0.02
    ranking: float = 1.0
    candidates: float = 0.2
    preservation: float = 1.0
    temperature: float = 0.05
    block: int = 256
    negatives: int = 7
    rounds: int = 3
    steps: int = 400
    learning_rate: float = 0.003
    decoder_rounds: int = 8
    decoder_units: int = 20_000
    seed: int = 17
