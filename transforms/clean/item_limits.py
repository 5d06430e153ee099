"""The limits within which a process works on one item.

Every command imports this, also where the packages of builds are not installed.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one item: seconds of processor time, and megabytes above the idle process."""

    seconds: float
    megabytes: int
