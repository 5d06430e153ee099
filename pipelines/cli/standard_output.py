"""What commands print on standard output: text for people, JSON for programs."""

from __future__ import annotations

import io
import json
import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any

from factmill.schemas.errors import FactmillError
from factmill.transforms.report.untrusted_text import printable


def print_text(text: str) -> None:
    """For a person: what pages and paths hold never steers the terminal."""
    _print(printable(text))


def print_json(document: Any, indent: int | None = 1) -> None:
    """For a program: numbers that JSON does not have (NaN, infinity) are null."""
    text = json.dumps(
        _finite(document), ensure_ascii=not takes_unicode(), indent=indent, default=shown,
        allow_nan=False,
    )  # fmt: skip
    _print(text)


def takes_unicode() -> bool:
    """Whether every character can be printed as it is."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"  # it may be closed
    return encoding.lower().startswith("utf")


def escape_what_cannot_be_printed() -> None:
    """Print characters that the terminal's encoding lacks as escapes, as standard error does."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def numbered(names: Sequence[str]) -> list[str]:
    """Names of columns with a number where a name was there before, as DuckDB does: a, a_1."""
    unique: dict[str, None] = {}
    for name in names:
        candidates = (f"{name}_{number}" if number else name for number in count())
        unique[next(one for one in candidates if one not in unique)] = None
    return list(unique)


def shown(value: Any) -> str:
    """A value of a table as text; codes in hexadecimal."""
    return value.hex() if isinstance(value, bytes) else str(value)


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {
            key if isinstance(key, str | int | None) else shown(key): _finite(one)
            for key, one in value.items()
        }
    return [_finite(one) for one in value] if isinstance(value, list | tuple) else value


@contextmanager
def output_errors() -> Iterator[None]:
    """Raises FactmillError when the disk of the file that output goes to is full, and
    BrokenPipeError when nobody reads it any more."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise FactmillError(f"standard output: {error.strerror}") from None


def _print(text: str) -> None:
    with output_errors():
        print(text, flush=True)
