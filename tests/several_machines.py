"""The mark of tests with whole builds on several machines, or killed ones, which `make test` has no
time for."""

from __future__ import annotations

import os

import pytest

several_machines = pytest.mark.skipif(
    not os.environ.get("FACTMILL_MACHINES"), reason="`make test-machines` runs it"
)
