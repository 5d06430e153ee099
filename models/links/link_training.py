"""Trains the link scorer on labelled questions.

Each gold page of a question competes with all other pages that are not gold, because the question
asks for all gold pages:

    loss = mean over gold pages g of ln(1 + sum over other pages p of exp((s_p - s_g) / T))
    s = lift - ln(best - fused), with a lift of 0 for pages that nothing names

The best page always stays first, so it takes no part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from factmill.models.arrays import Floats
from factmill.models.links.asked_question import LinkExample
from factmill.models.links.link_config import FROM_NOTHING, LinkTraining
from factmill.models.links.link_scorer import FEATURES, LinkScorer

_TEMPERATURE = 0.3
_WEIGHT_DECAY = 1e-3
# A lower bound on spreads: a feature that hardly varies here may vary among other questions.
_MIN_SPREAD = 1e-6
# Stands for minus infinity, so that no gradient is undefined.
_NOTHING = -1e9
_SEED = 0


def train_link_scorer(
    examples: Sequence[LinkExample],
    config: LinkTraining = FROM_NOTHING,
    begin: LinkScorer | None = None,
) -> LinkScorer:
    """The scorer for examples, at least one with a named page; deterministic. Training continues
    from the scorer `begin` with its units, or starts with no lift.
    """
    torch.manual_seed(_SEED)
    everything = np.concatenate([example.features for example in examples])
    mean, spread = everything.mean(axis=0), everything.std(axis=0) + _MIN_SPREAD
    data = _Tensors.of(examples, mean, spread)
    hidden, out = _layers(begin, config.units, mean, spread)
    parameters = [*hidden.parameters(), *out.parameters()]
    optimiser = torch.optim.AdamW(parameters, lr=config.learning_rate, weight_decay=_WEIGHT_DECAY)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, config.epochs)
    for _ in range(config.epochs):
        for batch in torch.split(torch.randperm(len(examples)), config.batch):
            lifts = out(torch.tanh(hidden(data.features[batch]))).squeeze(-1)
            loss = data.loss(batch, lifts)
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
        schedule.step()
    weights = hidden.weight.detach().numpy().T / spread[:, None]
    return LinkScorer(
        np.ascontiguousarray(weights, np.float32),
        (hidden.bias.detach().numpy() - mean @ weights).astype(np.float32),
        out.weight.detach().numpy()[0].copy(),
        out.bias.detach().numpy().copy(),
    )


def _layers(
    begin: LinkScorer | None, units: int, mean: Floats, spread: Floats
) -> tuple[torch.nn.Linear, torch.nn.Linear]:
    """The two layers, over normalised features."""
    units = len(begin.out) if begin else units
    hidden, out = torch.nn.Linear(len(FEATURES), units), torch.nn.Linear(units, 1)
    if begin is None:
        torch.nn.init.zeros_(out.weight)
        torch.nn.init.zeros_(out.bias)
        return hidden, out
    with torch.no_grad():
        hidden.weight.copy_(torch.tensor((begin.hidden * spread[:, None]).T))
        hidden.bias.copy_(torch.tensor(begin.hidden_bias + mean @ begin.hidden))
        out.weight.copy_(torch.tensor(begin.out[None]))
        out.bias.copy_(torch.tensor(begin.out_bias))
    return hidden, out


@dataclass(frozen=True, slots=True)
class _Tensors:
    """The examples, padded to equal lengths. Pages that are not named are reduced to two things:
    the sum of exp(s / T) over those that are not gold, and the scores of those that are.
    """

    named: torch.Tensor
    named_gold: torch.Tensor
    there: torch.Tensor
    features: torch.Tensor
    other_sums: torch.Tensor
    other_gold: torch.Tensor

    @classmethod
    def of(cls, examples: Sequence[LinkExample], mean: Floats, spread: Floats) -> _Tensors:
        return cls(
            _padded([example.named for example in examples]),
            _padded([example.named_gold for example in examples], False),
            _padded([np.ones(len(example.named), np.bool_) for example in examples], False),
            torch.nn.utils.rnn.pad_sequence(
                [torch.tensor((example.features - mean) / spread) for example in examples], True
            ),
            torch.logsumexp(
                _padded([one.others[~one.others_gold] for one in examples]) / _TEMPERATURE, dim=1
            ),
            _padded([one.others[one.others_gold] for one in examples]),
        )

    def loss(self, batch: torch.Tensor, lifts: torch.Tensor) -> torch.Tensor:
        """The mean loss of some examples with these lifts, shape (batch, named)."""
        named_gold, there, other_gold = (
            self.named_gold[batch], self.there[batch], self.other_gold[batch]
        )  # fmt: skip
        scores = (self.named[batch] + lifts) / _TEMPERATURE
        rivals = scores.masked_fill(named_gold | ~there, _NOTHING)
        against = torch.logsumexp(
            torch.cat([rivals, self.other_sums[batch, None]], dim=1), dim=1, keepdim=True
        )
        is_other = other_gold > _NOTHING
        losses = (torch.nn.functional.softplus(against - scores) * named_gold).sum(dim=1)
        losses += (
            torch.nn.functional.softplus(against - other_gold / _TEMPERATURE) * is_other
        ).sum(dim=1)
        return (losses / (named_gold.sum(dim=1) + is_other.sum(dim=1)).clamp(min=1)).mean()


def _padded(
    arrays: Sequence[npt.NDArray[np.generic]], filling: float | bool = _NOTHING
) -> torch.Tensor:
    return torch.nn.utils.rnn.pad_sequence(
        [torch.tensor(np.append(array, array.dtype.type(filling))) for array in arrays],
        True,
        filling,
    )[:, :-1]
