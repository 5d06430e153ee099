"""Errors of workers out of what runners raise and say."""

from __future__ import annotations

from pathlib import Path

import pytest

from factmill.pipelines.runners.worker_errors import (
    ClearErrors,
    error_text,
    last_line,
    named_error,
)
from factmill.schemas.errors import (
    BuildError,
    CorruptStore,
    FactmillError,
    MissingExtra,
    OptionError,
    ServerDown,
    Unreachable,
)
from factmill.schemas.layout import Store

SAID = "s3://bucket/store/CURRENT: Could not connect"
TRACE = f"""Traceback (most recent call last):
  File "run_tasks.py", line 31, in process
factmill.schemas.errors.Unreachable: {SAID} [while running 'Encode units/Run task']
"""
# A bug that was met while an expected error was handled.
BUG = """Traceback (most recent call last):
  File "a.py", line 1, in process
factmill.schemas.errors.Rejected: no_text

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "a.py", line 2, in process
KeyError: "'x' [while running 'Clean pages']"
"""


@pytest.mark.parametrize(
    ("said", "error"),
    [
        (TRACE, Unreachable(SAID)),
        ("factmill.schemas.errors.ServerDown: nobody", ServerDown("nobody")),
        ("a\nfactmill.schemas.errors.CorruptStore: f [while running 'X/Y-ptransform-3']\n\n",
         CorruptStore("f")),
        # The last one is what the job failed of; others may stand in the traceback above it.
        (
            "factmill.schemas.errors.BuildError: one\nfactmill.schemas.errors.CorruptStore: two",
            CorruptStore("two"),
        ),
        (error_text(MissingExtra("openai", "llm")), MissingExtra("openai", "llm")),
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
        BUG,
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


def test_error_of_a_worker_is_raised_in_place_of_the_runners(tmp_path: Path) -> None:
    with pytest.raises(Unreachable) as caught, ClearErrors(Store(tmp_path)):
        raise RuntimeError(TRACE)
    assert str(caught.value) == SAID


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("the word Unreachable"), RuntimeError(BUG), KeyError("x"),
        OptionError("--input"), KeyboardInterrupt(),
    ],
)  # fmt: skip
def test_other_errors_stay_what_they_are(error: BaseException, tmp_path: Path) -> None:
    with pytest.raises(type(error)) as caught, ClearErrors(Store(tmp_path)):
        raise error
    assert caught.value is error


@pytest.mark.parametrize(
    ("said", "line"),
    [("a\nb\n\n", "b"), ("State: FAILED\nNone", "State: FAILED"), ("", ""), ("\n \n", "")],
)
def test_last_line_says_something(said: str, line: str) -> None:
    assert last_line(said) == line
    assert len(last_line("x" * 10_000)) == 500
