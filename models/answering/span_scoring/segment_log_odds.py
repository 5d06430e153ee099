"""How likely each span of a segment answers a question, as log-odds against no answer in it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from factmill.models.arrays import Floats

_MAX_SPAN_TOKENS = 24
_NONE = -100.0


class ScoredSpan(NamedTuple):
    """Offsets in the text of a segment, and log-odds against no answer in it."""

    start: int
    end: int
    odds: float


@dataclass(frozen=True)
class SegmentScores:
    """What a model says of one segment. `offsets` are those of its tokens in the text; `start` and
    `end`, shape (tokens,), are the log-odds of the first and of the last token of the answer."""

    offsets: tuple[tuple[int, int], ...]
    start: Floats
    end: Floats

    def odds(self, start: int, end: int) -> float | None:
        """The log-odds of the span that these characters are in; None where it was cut off."""
        inside = [
            row for row, (first, last) in enumerate(self.offsets) if first < end and start < last
        ]
        if not inside or self.offsets[inside[-1]][1] < end or self.offsets[inside[0]][0] > start:
            return None
        return float(self.start[inside[0]] + self.end[inside[-1]])

    def best(self, most: int) -> list[ScoredSpan]:
        """The likeliest spans, best first."""
        joint = self._joint
        order = np.argsort(-joint, axis=None, kind="stable")[:most]
        found = []
        for first, last in zip(*np.unravel_index(order, joint.shape), strict=True):
            if np.isfinite(joint[first, last]):
                span = self.offsets[first][0], self.offsets[last][1]
                found.append(ScoredSpan(*span, float(joint[first, last])))
        return found

    @cached_property
    def likeliest(self) -> ScoredSpan:
        """The likeliest span; an empty one where there are no tokens."""
        return next(iter(self.best(1)), ScoredSpan(0, 0, _NONE))

    @cached_property
    def together(self) -> float:
        """The log-odds of any span."""
        if not self.offsets:
            return _NONE
        return float(_log_sum(self.start) + _log_sum(self.end))

    @cached_property
    def answers(self) -> float:
        """The probability that the segment holds an answer: that neither its first nor its last
        token is that of no answer."""
        if not self.offsets:
            return 0.0
        first, last = _log_sum(self.start), _log_sum(self.end)
        return float(1.0 - np.exp(-np.logaddexp(0.0, first) - np.logaddexp(0.0, last)))

    @cached_property
    def _joint(self) -> Floats:
        joint: Floats = self.start[:, None] + self.end[None, :]
        rows = np.arange(len(self.offsets))
        apart = rows[None, :] - rows[:, None]
        joint[(apart < 0) | (apart >= _MAX_SPAN_TOKENS)] = -np.inf
        return joint


def _log_sum(values: Floats) -> float:
    highest = values.max()
    return float(highest + np.log(np.exp(values - highest).sum()))
