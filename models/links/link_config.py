"""How a scorer of links is trained."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LinkTraining:
    """The size of the network, and how often and how far it follows its examples."""

    units: int = 16
    epochs: int = 40
    batch: int = 256
    learning_rate: float = 0.01


# From no lift at all, as the scorer of the package; and on from that scorer.
FROM_NOTHING = LinkTraining()
FROM_PACKAGE = LinkTraining(learning_rate=0.003)
