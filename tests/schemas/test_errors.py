"""Errors cross the border of a process whole."""

from __future__ import annotations

import pickle

import pytest

from factmill.models.llm.completion import CallRejected, Usage
from factmill.schemas.errors import (
    FactmillError,
    MissingExtra,
    NoSuchRow,
    OptionError,
    ReadOnlyStore,
    Rejected,
)


@pytest.mark.parametrize(
    "error",
    [
        OptionError("k must be a whole number"),
        MissingExtra("duckdb", "inspect"),
        NoSuchRow("page", "0123"),
        Rejected("empty", "no text"),
        ReadOnlyStore("store", "Read-only file system"),
        CallRejected("refused", "", Usage(7, 2)),
    ],
    ids=lambda error: type(error).__name__,
)
def test_error_from_another_process_is_the_same_error(error: FactmillError) -> None:
    got = pickle.loads(pickle.dumps(error))

    assert (type(got), str(got), vars(got)) == (type(error), str(error), vars(error))
