"""The mark of tests with whole builds on several machines, or killed ones, which `make test` has no
time for."""

from __future__ import annotations

import os

import pytest

several_machines = pytest.mark.skipif(
    "FACTMILL_MACHINES" not in os.environ, reason="`make test-machines` runs it"
)
