"""The mark of tests that simulate several machines with whole builds, which `make test` has no time
for."""

from __future__ import annotations

import os

import pytest

several_machines = pytest.mark.skipif(
    "FACTMILL_MACHINES" not in os.environ, reason="`make test-machines` runs it"
)
