"""What commands print on standard output: text for people, JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from factmill.schemas.errors import FactmillError
from factmill.transforms.report.untrusted_text import printable


def print_text(text: str) -> None:
    """For a person: what pages and paths hold never steers the terminal."""
    _print(printable(text))


def print_json(document: Any, indent: int | None = 1) -> None:
    _print(json.dumps(document, ensure_ascii=False, indent=indent, default=shown))


def shown(value: Any) -> str:
    """A value of a table as text; codes in hexadecimal."""
    return value.hex() if isinstance(value, bytes) else str(value)


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
