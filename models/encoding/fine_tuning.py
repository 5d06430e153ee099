"""Fine-tunes an encoder on questions, units that answer them, and hard negatives.

The loss is in-batch cross-entropy: a question scores every unit and hard negative of its batch by
cosine over a temperature, and its own unit should win. Other answers to the same question in the
batch do not count as negatives. Held-out questions decide whether the tuned encoder is kept.
Deterministic for equal examples, configuration and number of threads on one processor; a GPU adds
in another order each time. Knows nothing of builds.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from factmill.models.encoding.batching import (
    batches_by_length,
    encode_texts,
    longest,
    tokenised,
    vectors,
)
from factmill.models.encoding.encoder import Encoder
from factmill.models.encoding.reciprocal_ranks import sum_of_reciprocal_ranks
from factmill.schemas.progress_events import report_progress
from factmill.schemas.storage.atomic import whole_folder
from factmill.schemas.storage.paths import StoragePath

# Tokens per forward pass. The activations of a whole step are in memory until its gradient.
_TOKENS_AT_ONCE = 8192
_QUERIES_AT_ONCE = 256
# One question in this many is held out.
_ONE_HELD_OUT_IN = 8


@dataclass(frozen=True, slots=True)
class Example:
    """A query, the unit that answers it, and `negatives` that only seem to."""

    query: str
    unit: str
    negatives: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EncoderTraining:
    """Training settings. `negatives` is the number used of each example; `warm_up` is the share of
    steps with a rising rate, which then falls to zero.
    """

    epochs: int = 1
    batch: int = 32
    negatives: int = 1
    max_steps: int = 2000
    learning_rate: float = 2e-5
    warm_up: float = 0.1
    temperature: float = 0.05
    clip: float = 1.0
    seed: int = 17


@dataclass(frozen=True, slots=True)
class EncoderReport:
    """The mean reciprocal rank of held-out units before and after, and the loss of every step. If
    `kept` is false, the tuned encoder ranked no better and was not written.
    """

    before: float
    after: float
    kept: bool
    losses: tuple[float, ...]


def train_encoder(
    examples: Sequence[Example], encoder: Encoder, folder: StoragePath, config: EncoderTraining
) -> EncoderReport:
    """Tune a copy of the encoder and write it to `folder` if it ranks the units of held-out
    questions better. Raises OptionError for an encoder that cannot be loaded."""
    fitted, held_out = split_examples(examples, config.seed)
    model = encoder.load()
    before = _held_out_rank(model, held_out)
    # Dropout draws from PyTorch's global generator, which belongs to the caller.
    with torch.random.fork_rng():
        torch.manual_seed(config.seed)
        losses = tuple(_train(model, fitted, config))
    after = _held_out_rank(model, held_out)
    kept = after > before
    if kept:
        with whole_folder(folder) as temporary:
            model.save_pretrained(str(temporary), create_model_card=False)
            _readable_weights(temporary)
    return EncoderReport(before, after, kept, losses)


def _readable_weights(folder: Path) -> None:
    """Give the weights the file mode of the other files. safetensors makes them readable only for
    their owner, but services run as another user.
    """
    mode = (folder / "modules.json").stat().st_mode
    for weights in folder.rglob("*.safetensors"):
        weights.chmod(mode)


def split_examples(examples: Sequence[Example], seed: int) -> tuple[list[Example], list[Example]]:
    """The examples to train on and, for one question in eight, those held out."""
    queries = sorted({example.query for example in examples})
    random.Random(seed).shuffle(queries)
    chosen = set(queries[: -(-len(queries) // _ONE_HELD_OUT_IN)])
    fitted = [example for example in examples if example.query not in chosen]
    return fitted, [example for example in examples if example.query in chosen]


def _held_out_rank(model: Any, examples: Sequence[Example]) -> float:
    """Mean reciprocal rank of each example's unit among all units and negatives; ties count against
    it.
    """
    if not examples:
        return 0.0
    texts = list(dict.fromkeys(_candidates(examples, negatives=None)))
    column = {text: n for n, text in enumerate(texts)}
    units = encode_texts(model, texts)
    total = 0.0
    for start in range(0, len(examples), _QUERIES_AT_ONCE):
        some = examples[start : start + _QUERIES_AT_ONCE]
        scores = encode_texts(model, [example.query for example in some]) @ units.T
        own = np.array([column[example.unit] for example in some])
        total += sum_of_reciprocal_ranks(scores, own)
    return total / len(examples)


def rate_factor(step: int, steps: int, warm_up: float) -> float:
    """The factor on the learning rate: linearly up to 1, then linearly down towards 0."""
    rising = int(warm_up * steps)
    if step < rising:
        return (step + 1) / (rising + 1)
    return (steps - step) / (steps - rising)


def batch_loss(
    queries: Tensor, candidates: Tensor, own: Tensor, excluded: Tensor, temperature: float
) -> Tensor:
    """Cross-entropy of unit-length `queries` (m, d) over `candidates` (n, d): `own` (m,) is the
    row of each one's unit, `excluded` (m, n) what is neither right nor wrong for it."""
    scores = (queries @ candidates.T) / temperature
    return torch.nn.functional.cross_entropy(scores.masked_fill(excluded, -torch.inf), own)


def _train(model: Any, examples: Sequence[Example], config: EncoderTraining) -> Iterator[float]:
    """Train the model in memory; yields the loss of every step."""
    answers: defaultdict[str, set[str]] = defaultdict(set)
    for example in examples:
        answers[example.query].add(example.unit)
    batches = _batches(examples, config)
    optimiser = torch.optim.AdamW(model.parameters(), lr=config.learning_rate)
    model.train()
    for step, batch in enumerate(batches):
        report_progress("training the encoder", step, len(batches))
        for group in optimiser.param_groups:
            group["lr"] = config.learning_rate * rate_factor(step, len(batches), config.warm_up)
        with _mixed_precision(model.device.type):
            loss = _loss(model, batch, answers, config)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), config.clip)
        optimiser.step()
        yield float(loss.detach())
    model.eval()


def _batches(examples: Sequence[Example], config: EncoderTraining) -> list[list[Example]]:
    """The examples of every step. A last batch with a single candidate is left out."""
    shuffle = random.Random(config.seed)
    batches: list[list[Example]] = []
    for _ in range(config.epochs):
        shuffled = shuffle.sample(examples, len(examples))
        for start in range(0, len(shuffled), config.batch):
            batch = shuffled[start : start + config.batch]
            if len(set(_candidates(batch, config.negatives))) > 1:
                batches.append(batch)
    return batches[: config.max_steps]


def _candidates(examples: Sequence[Example], negatives: int | None) -> Iterator[str]:
    for example in examples:
        yield example.unit
        yield from example.negatives[:negatives]


def _loss(
    model: Any,
    batch: Sequence[Example],
    answers: Mapping[str, set[str]],
    config: EncoderTraining,
) -> Tensor:
    texts = list(dict.fromkeys(_candidates(batch, config.negatives)))
    column = {text: n for n, text in enumerate(texts)}
    own = [column[example.unit] for example in batch]
    excluded = torch.zeros(len(batch), len(texts), dtype=torch.bool)
    for row, example in enumerate(batch):
        also = [column[text] for text in answers[example.query] if text in column]
        excluded[row, also] = True
        excluded[row, own[row]] = False
    queries, candidates = _embed(model, [e.query for e in batch]), _embed(model, texts)
    device = queries.device
    return batch_loss(
        queries, candidates, torch.tensor(own).to(device), excluded.to(device), config.temperature
    )


def _embed(model: Any, texts: Sequence[str]) -> Tensor:
    """Vectors with their gradient."""
    batches = batches_by_length([len(text) for text in texts], _TOKENS_AT_ONCE, longest(model))
    parts = [vectors(model, tokenised(model, [texts[i] for i in rows])) for rows in batches]
    order = torch.tensor([i for rows in batches for i in rows])
    embedded: Tensor = torch.cat(parts)[torch.argsort(order).to(parts[0].device)]
    return embedded


def _mixed_precision(device: str) -> Any:
    """bfloat16 on GPUs that support it: it needs no scaling of the loss."""
    if device == "cuda" and torch.cuda.is_bf16_supported():
        return torch.autocast(device, dtype=torch.bfloat16)
    return nullcontext()
