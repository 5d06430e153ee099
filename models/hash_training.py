"""Learning the hash head: discrete codes and real-valued projections, improved in turn.

It starts from codes H of a sample of units and the decoder D fitted to them (models/hash_start.py).
Then, round by round over blocks of queries with their source units and hard negatives:

- the projections of queries and units by gradient with H fixed, on HASH-RAG's asymmetric loss with
  its tanh continuation, BPR's two losses and score preservation (models/hash_losses.py);
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
import numpy.typing as npt
import torch

from models.code_sweeps import ETA, code_errors, fit_decoder, sweep_codes
from models.hash_config import TrainingConfig
from models.hash_head import Decoder, Floats, HashHead, Projection
from models.hash_losses import (
    asymmetric_loss,
    asymmetric_terms,
    beta,
    candidate_loss,
    preservation_loss,
    ranking_loss,
    source_similarity,
)
from models.hash_start import fit_codes

Tensor = torch.Tensor
Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Examples:
    """What is learned from; all vectors have unit length.

    `units` (n, dimension), distinct; `groups` (n,) the page of each. `queries` (m, dimension),
    `source` (m,) the unit that answers each, `negatives` (m, k) units of other pages that are near,
    -1 for none.
    """

    units: Floats
    groups: Rows
    queries: Floats
    source: Rows
    negatives: Rows

    def __len__(self) -> int:
        return len(self.queries)

    def take(self, rows: Rows) -> Examples:
        """The same units with some of the queries."""
        return Examples(
            self.units, self.groups, self.queries[rows], self.source[rows], self.negatives[rows]
        )


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

    codes = head.signs(examples.units)
    codes[sample] = fitted
    learner = _Learner(examples, codes, head, config, device)
    for number in range(config.rounds):
        order = shuffle.permutation(len(examples))
        blocks = np.array_split(order, max(1, len(order) // config.block))[: config.steps]
        losses = [learner.step(rows, shuffle, number, len(blocks)) for rows in blocks]
        before, after = learner.sweep(blocks, decoder, mean)
        decoder = fit_decoder(examples.units[sample] - mean, learner.codes[sample], decoder)
        units, queries = learner.projections()
        yield Round(
            HashHead(units, queries, encoder, len(examples), Decoder(decoder, mean)),
            float(np.mean(losses)),
            before,
            after,
        )


class _Learner:
    """Projections that learn, and the codes they learn with."""

    def __init__(
        self,
        examples: Examples,
        codes: Floats,
        head: HashHead,
        config: TrainingConfig,
        device: str,
    ) -> None:
        self._examples, self._config, self._device = examples, config, device
        self.codes = codes
        # Queries are learned as multiples of the decoder's size, units as they are, so that one
        # learning rate serves both.
        sizes = (np.abs(side.weight).mean() for side in (head.queries, head.units))
        of_queries, of_units = (max(float(size), 1e-6) for size in sizes)
        self._scale = of_queries / of_units
        self._query_weight = self._tensor(head.queries.weight / np.float32(self._scale))
        self._query_bias = self._tensor(head.queries.bias / np.float32(self._scale))
        self._unit_weight = self._tensor(head.units.weight)
        self._unit_bias = self._tensor(head.units.bias)
        parameters = [self._query_weight, self._query_bias, self._unit_weight, self._unit_bias]
        self._optimiser = torch.optim.Adam(parameters, lr=config.learning_rate)
        self._steps = 0
        self._spread = self._query_spread()

    def _tensor(self, values: Floats) -> Tensor:
        return torch.tensor(values, device=self._device, requires_grad=True)

    def _query_spread(self) -> float:
        with torch.no_grad():
            values = self._queries(np.arange(min(len(self._examples), 1024)))
        return max(float(values.std()), 1e-6)

    def _queries(self, rows: Rows) -> Tensor:
        vectors = torch.from_numpy(self._examples.queries[rows]).to(self._device)
        return vectors @ self._query_weight.T + self._query_bias

    def _surrogates(self, queries: Tensor, units: Tensor) -> tuple[Tensor, Tensor]:
        """tanh of both projections, at a spread of about one."""
        sharpness = beta(self._steps)
        of_units = units @ self._unit_weight.T + self._unit_bias
        return torch.tanh(sharpness / self._spread * queries), torch.tanh(sharpness * of_units)

    def step(self, rows: Rows, shuffle: np.random.Generator, number: int, steps: int) -> float:
        """One gradient step on a block of queries; the loss before it."""
        config, examples = self._config, self._examples
        members, source = self._members(rows, shuffle)
        units = torch.from_numpy(examples.units[members]).to(self._device)
        codes = torch.from_numpy(self.codes[members]).to(self._device)
        groups = torch.from_numpy(examples.groups[members]).to(self._device)
        ignored = groups[None, :] == groups[source][:, None]
        ignored[torch.arange(len(source)), source] = False

        queries = self._queries(rows)
        scores = self._scale * (queries @ codes.T)
        vectors = torch.from_numpy(examples.queries[rows]).to(self._device)
        of_queries, of_units = self._surrogates(queries, units)
        loss = (
            config.ranking * ranking_loss(scores, source, ignored, config.temperature)
            + config.candidates * candidate_loss(of_queries, codes, source, ignored)
            + config.preservation * preservation_loss(scores, vectors @ units.T, config.temperature)
        )
        if config.asymmetric:
            own = torch.unique(source)
            surrogate = torch.cat([of_queries, of_units[own]])
            target = torch.cat([source, own])
            hashed = asymmetric_loss(
                surrogate,
                codes,
                source_similarity(target, len(members)),
                target,
                config.gamma,
            )
            loss = loss + config.asymmetric * hashed / (len(target) * config.bits**2)
        self._optimiser.param_groups[0]["lr"] = config.learning_rate * _decay(
            number * steps + self._steps % steps, config.rounds * steps
        )
        self._optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        self._optimiser.step()
        self._steps += 1
        return float(loss.detach())

    def _members(self, rows: Rows, shuffle: np.random.Generator) -> tuple[Rows, Tensor]:
        """The distinct units of a block, and where each query's source is among them."""
        examples, count = self._examples, self._config.negatives
        chosen = examples.negatives[rows]
        if chosen.shape[1] > count:
            places = shuffle.integers(0, chosen.shape[1], (len(rows), count))
            chosen = np.take_along_axis(chosen, places, axis=1)
        wanted = np.concatenate([examples.source[rows], chosen.ravel()])
        members = np.unique(wanted[wanted >= 0])
        source = torch.from_numpy(np.searchsorted(members, examples.source[rows]))
        return members, source.to(self._device)

    def sweep(self, blocks: list[Rows], decoder: Floats, mean: Floats) -> tuple[float, float]:
        """One sweep over the codes of the blocks' source units; the loss before and after it.

        A unit that is the source of queries of two blocks is swept in the first of them.
        """
        config, examples = self._config, self._examples
        swept = np.zeros(len(self.codes), dtype=bool)
        before = after = 0.0
        weight = config.asymmetric / config.bits**2
        for rows in blocks:
            members, places = np.unique(examples.source[rows], return_inverse=True)
            fresh = ~swept[members]
            swept[members] = True
            units = torch.from_numpy(examples.units[members]).to(self._device)
            with torch.no_grad():
                surrogate = torch.cat(self._surrogates(self._queries(rows), units))
            target = torch.from_numpy(np.concatenate([places, np.arange(len(members))]))
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
    """What a sweep lowers, summed over rows (models/code_sweeps.py)."""
    third = np.einsum("ij,ij->i", codes @ gram - 2 * linear, codes)
    return float(np.sum(code_errors(vectors, codes, decoder, ETA) + third, dtype=np.float64))
