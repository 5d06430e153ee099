from __future__ import annotations

from itertools import count
from types import SimpleNamespace

import pytest

from factmill.models.answering.r2former import llm_training_steps


@pytest.fixture
def two_steps(monkeypatch: pytest.MonkeyPatch) -> float:
    """The seconds of two steps of training: one passes whenever the clock is looked at."""
    looks = count()
    clock = SimpleNamespace(monotonic=lambda: next(looks), process_time=lambda: 0)
    monkeypatch.setattr(llm_training_steps, "time", clock)
    return 4
