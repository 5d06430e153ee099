from __future__ import annotations

import pytest

from factmill.pipelines.runners.worker_errors import last_line, named_error
from factmill.schemas.errors import BuildError, CorruptStore, FactmillError, ServerDown


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ("factmill.schemas.errors.ServerDown: nobody", ServerDown("nobody")),
        ("a\nfactmill.schemas.errors.CorruptStore: f [while running 'X/Y-ptransform-3']\n\n",
         CorruptStore("f")),
        # The last one is what the job failed of; others may stand in the traceback above it.
        (
            "factmill.schemas.errors.BuildError: one\nfactmill.schemas.errors.CorruptStore: two",
            CorruptStore("two"),
        ),
        ("factmill.schemas.errors.Rejected: no_text: x", BuildError("no_text: x")),
        ("factmill.schemas.errors.annotations: x", BuildError("x")),
        ("factmill.schemas.errors.__class__: x", BuildError("x")),
    ],
)  # fmt: skip
def test_named_error_is_the_one_that_the_worker_raised(said: str, error: FactmillError) -> None:
    found = named_error(said)
    assert type(found) is type(error)
    assert str(found) == str(error)


@pytest.mark.parametrize(
    "said",
    [
        "",
        "KeyError: 'x'",
        "a page says factmill.schemas.errors.BuildError: x",
        "factmill.schemas.errors.B:x",
    ],
)
def test_named_error_of_anything_else_is_none(said: str) -> None:
    assert named_error(said) is None


def test_named_error_of_a_long_text_takes_no_time() -> None:
    assert named_error("factmill.schemas.errors." + "x" * 1_000_000) is None
    assert (
        named_error(("factmill.schemas.errors.B: " + "[while running " * 200 + "\n") * 500)
        is not None
    )


@pytest.mark.parametrize(
    ("said", "line"),
    [("a\nb\n\n", "b"), ("State: FAILED\nNone", "State: FAILED"), ("", ""), ("\n \n", "")],
)
def test_last_line_says_something(said: str, line: str) -> None:
    assert last_line(said) == line
    assert len(last_line("x" * 10_000)) == 500
