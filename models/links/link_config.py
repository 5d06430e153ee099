"""Training settings of a link scorer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LinkTraining:
    """The size of the network, and the number and size of its training steps."""

    units: int = 16
    epochs: int = 40
    batch: int = 256
    learning_rate: float = 0.01


# Settings to train from no lift at all, as for the packaged scorer; and to go on from that scorer.
FROM_NOTHING = LinkTraining()
FROM_PACKAGE = LinkTraining(learning_rate=0.003)
