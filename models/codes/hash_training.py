"""Learning the hash head: discrete codes and real-valued projections, improved in turn.

It starts from codes H of a sample of units and the decoder D fitted to them
(hash_initialisation.py). Then, round by round over blocks of queries with their source units and
hard negatives:

- the projections of queries and units by gradient with H fixed, on HASH-RAG's asymmetric loss with
  its tanh continuation, BPR's two losses and score preservation (models/codes/hash_losses.py);
- H column by column with the projections fixed, on HASH-RAG's loss and the decoder's together,
  which never rises;
- D by least squares with H fixed.

HASH-RAG (equations 4 to 9) with these corrections: gradients come from autograd (the printed one
lacks a factor beta), negatives count -r as in ADSH, and pairs are taken in blocks: over all pairs
at once the loss is lowest where all codes vanish (measured in docs/log.md). Its codes are free
variables of the training; units never seen get theirs from the head (HashHead.codes).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from factmill.models.arrays import Floats
from factmill.models.codes.code_sweeps import ETA, code_errors, fit_decoder, sweep_codes
from factmill.models.codes.hash_config import TrainingConfig
from factmill.models.codes.hash_examples import Examples, Rows
from factmill.models.codes.hash_head import Decoder, HashHead, Projection
from factmill.models.codes.hash_initialisation import fit_codes
from factmill.models.codes.hash_losses import (
    asymmetric_loss,
    asymmetric_terms,
    beta,
    candidate_loss,
    preservation_loss,
    ranking_loss,
    source_similarity,
)
from factmill.schemas.progress_events import report_progress

# Codes to train with are searched for a quarter of the steps of those that are stored: more of them
# make no better head (docs/log.md).
_BITS_PER_STEP = 2


@dataclass(frozen=True, slots=True)
class Round:
    """The head after a round, the mean loss of its blocks, and the summed loss of the codes before
    and after its sweep."""

    head: HashHead
    loss: float
    before_sweep: float
    after_sweep: float


def train(
    examples: Examples, config: TrainingConfig, encoder: str, device: str = "cpu"
) -> Iterator[Round]:
    """Yield the head of each round; the fitted codes come first, as the round before the first.

    Deterministic for equal examples and configuration on one machine.
    """
    torch.manual_seed(config.seed)
    shuffle = np.random.default_rng(config.seed)
    sample = np.sort(shuffle.permutation(len(examples.units))[: config.decoder_units])
    head, fitted = fit_codes(examples.units[sample], config, encoder)
    assert head.decoder is not None
    decoder, mean = head.decoder.weight, head.decoder.mean
    yield Round(head, float("nan"), 0.0, 0.0)

    codes = head.signs(examples.units, config.bits // _BITS_PER_STEP)
    codes[sample] = fitted
    blocks_of_all = max(1, len(examples) // config.block)
    steps = config.rounds * min(blocks_of_all, config.steps)
    learner = _Learner(examples, codes, head, config, steps, device)
    taken = 0
    for _ in range(config.rounds):
        order = shuffle.permutation(len(examples))
        blocks = np.array_split(order, blocks_of_all)[: config.steps]
        losses = []
        for rows in blocks:
            losses.append(learner.step(rows, shuffle))
            taken += 1
            report_progress("training", taken, steps)
        before, after = learner.sweep(blocks, decoder, mean)
        decoder = fit_decoder(examples.units[sample] - mean, learner.codes[sample], decoder)
        units, queries = learner.projections()
        yield Round(
            HashHead(units, queries, encoder, len(examples), Decoder(decoder, mean)),
            float(np.mean(losses)),
            before,
            after,
        )


@dataclass(frozen=True, slots=True)
class _TrainingBatch:
    """Queries of a step with their units, on the device.

    `queries` (m, dimension), `units` (n, dimension), `codes` (n, bits); `source` (m,) the row of
    each query's unit, `ignored` (m, n) the other units of its page, neither right nor wrong.
    """

    queries: Tensor
    units: Tensor
    codes: Tensor
    source: Tensor
    ignored: Tensor


class _Learner:
    """Projections that learn, and the codes they learn with."""

    def __init__(
        self,
        examples: Examples,
        codes: Floats,
        head: HashHead,
        config: TrainingConfig,
        steps: int,
        device: str,
    ) -> None:
        self._examples, self._config, self._device = examples, config, device
        self.codes = codes
        # Queries are learned as multiples of the decoder's size, units as they are, so that one
        # learning rate serves both.
        sizes = (np.abs(side.weight).mean() for side in (head.queries, head.units))
        of_queries, of_units = (max(float(size), 1e-6) for size in sizes)
        self._scale = of_queries / of_units
        self._query_weight = self._parameter(head.queries.weight / np.float32(self._scale))
        self._query_bias = self._parameter(head.queries.bias / np.float32(self._scale))
        self._unit_weight = self._parameter(head.units.weight)
        self._unit_bias = self._parameter(head.units.bias)
        parameters = [self._query_weight, self._query_bias, self._unit_weight, self._unit_bias]
        self._optimiser = torch.optim.Adam(parameters, lr=config.learning_rate)
        self._done, self._steps = 0, steps
        self._spread = self._query_spread()

    def _parameter(self, values: Floats) -> Tensor:
        return torch.tensor(values, device=self._device, requires_grad=True)

    def _rows(self, values: Floats, rows: Rows) -> Tensor:
        return torch.from_numpy(values[rows]).to(self._device)

    def _query_spread(self) -> float:
        first = np.arange(min(len(self._examples), 1024))
        with torch.no_grad():
            values = self._projected(self._rows(self._examples.queries, first))
        return max(float(values.std()), 1e-6)

    def _projected(self, queries: Tensor) -> Tensor:
        return queries @ self._query_weight.T + self._query_bias

    def _surrogates(self, projected: Tensor, units: Tensor) -> tuple[Tensor, Tensor]:
        """tanh of both projections, at a spread of about one."""
        sharpness = beta(self._done)
        of_units = units @ self._unit_weight.T + self._unit_bias
        return torch.tanh(sharpness / self._spread * projected), torch.tanh(sharpness * of_units)

    def step(self, rows: Rows, shuffle: np.random.Generator) -> float:
        """One gradient step on a block of queries; the loss before it."""
        loss = self._loss(self._block(rows, shuffle))
        rate = self._config.learning_rate * _decay(self._done, self._steps)
        self._optimiser.param_groups[0]["lr"] = rate
        self._optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        self._optimiser.step()
        self._done += 1
        return float(loss.detach())

    def _block(self, rows: Rows, shuffle: np.random.Generator) -> _TrainingBatch:
        """Queries with their distinct units, of which negatives are drawn."""
        examples, count = self._examples, self._config.negatives
        negatives = examples.negatives[rows]
        if negatives.shape[1] > count:
            drawn = shuffle.integers(0, negatives.shape[1], (len(rows), count))
            negatives = np.take_along_axis(negatives, drawn, axis=1)
        wanted = np.concatenate([examples.source[rows], negatives.ravel()])
        members = np.unique(wanted[wanted >= 0])
        source = np.searchsorted(members, examples.source[rows])
        groups = examples.groups[members]
        ignored = groups[None, :] == groups[source][:, None]
        ignored[np.arange(len(source)), source] = False
        return _TrainingBatch(
            self._rows(examples.queries, rows),
            self._rows(examples.units, members),
            self._rows(self.codes, members),
            torch.from_numpy(source).to(self._device),
            torch.from_numpy(ignored).to(self._device),
        )

    def _loss(self, block: _TrainingBatch) -> Tensor:
        config = self._config
        projected = self._projected(block.queries)
        scores = self._scale * (projected @ block.codes.T)
        cosines = block.queries @ block.units.T
        own = torch.unique(block.source)
        of_queries, of_units = self._surrogates(projected, block.units[own])
        loss = (
            config.ranking * ranking_loss(scores, block.source, block.ignored, config.temperature)
            + config.candidates
            * candidate_loss(of_queries, block.codes, block.source, block.ignored)
            + config.preservation * preservation_loss(scores, cosines, config.temperature)
        )
        if config.asymmetric:
            source = torch.cat([block.source, own])
            hashed = asymmetric_loss(
                torch.cat([of_queries, of_units]),
                block.codes,
                source_similarity(source, len(block.units)),
                source,
                config.gamma,
            )
            loss = loss + config.asymmetric * hashed / (len(source) * config.bits**2)
        return loss

    def sweep(self, blocks: list[Rows], decoder: Floats, mean: Floats) -> tuple[float, float]:
        """One sweep over the codes of the blocks' source units; the loss before and after it.

        A unit that is the source of queries of two blocks is swept in the first of them.
        """
        config, examples = self._config, self._examples
        swept = np.zeros(len(self.codes), dtype=bool)
        before = after = 0.0
        weight = config.asymmetric / config.bits**2
        for rows in blocks:
            members, rows_of_source = np.unique(examples.source[rows], return_inverse=True)
            fresh = ~swept[members]
            swept[members] = True
            queries = self._rows(examples.queries, rows)
            units = self._rows(examples.units, members)
            with torch.no_grad():
                surrogate = torch.cat(self._surrogates(self._projected(queries), units))
            target = torch.from_numpy(np.concatenate([rows_of_source, np.arange(len(members))]))
            gram, linear = asymmetric_terms(
                surrogate.cpu(), source_similarity(target, len(members)), target, config.gamma
            )
            quadratic = np.float32(weight) * gram.numpy()
            pull = np.float32(weight) * linear.numpy()[fresh]
            vectors, old = examples.units[members[fresh]] - mean, self.codes[members[fresh]]
            new = sweep_codes(vectors, old, decoder, gram=quadratic, linear=pull)
            before += _sweep_loss(vectors, old, decoder, quadratic, pull)
            after += _sweep_loss(vectors, new, decoder, quadratic, pull)
            self.codes[members[fresh]] = new
        return before, after

    def projections(self) -> tuple[Projection, Projection]:
        """Those of units and of queries."""

        def values(tensor: Tensor, scale: float = 1.0) -> Floats:
            result: Floats = (tensor.detach().cpu() * scale).numpy().copy()
            return result

        return (
            Projection(values(self._unit_weight), values(self._unit_bias)),
            Projection(
                values(self._query_weight, self._scale), values(self._query_bias, self._scale)
            ),
        )


def _decay(step: int, steps: int) -> float:
    """Half a cosine from 1 to 0."""
    return float(0.5 * (1 + np.cos(np.pi * step / max(1, steps))))


def _sweep_loss(
    vectors: Floats, codes: Floats, decoder: Floats, gram: Floats, linear: Floats
) -> float:
    """What a sweep lowers, summed over rows (models/codes/code_sweeps.py)."""
    third = np.einsum("ij,ij->i", codes @ gram - 2 * linear, codes)
    return float(np.sum(code_errors(vectors, codes, decoder, ETA) + third, dtype=np.float64))
