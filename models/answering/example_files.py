"""Files of training examples: a JSON list, or one object a line."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

from factmill.schemas.errors import OptionError
from factmill.schemas.ids import content_id
from factmill.schemas.storage.paths import StoragePath

T = TypeVar("T")


class ExampleFile(NamedTuple):
    """What an option named: a file, and what its content is called in fingerprints."""

    path: StoragePath
    content: str
    fingerprint: str


def open_examples(path: StoragePath, option: str) -> ExampleFile:
    """Raises OptionError for a file that cannot be read."""
    try:
        content = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise OptionError(f"{option} {path}: {error}") from None
    return ExampleFile(path, content, content_id("examples", content))


def examples_in(
    file: ExampleFile, option: str, read: Callable[[Mapping[str, Any]], T | None]
) -> list[T]:
    """What `read` makes of each object. Raises OptionError for a file without examples and, with
    its number, for an object of which `read` makes None, or which it refuses: with a KeyError for a
    missing field, or a ValueError that says what is wrong.
    """
    found: list[T] = []
    try:
        rows = _rows(file.content)
    except (ValueError, RecursionError) as error:
        raise OptionError(f"{option} {file.path}: not JSON ({error})") from None
    for number, row in enumerate(rows, 1):
        where = f"{option} {file.path}: object {number} is not an example"
        try:
            example = read(row) if isinstance(row, dict) else None
        except KeyError as error:
            raise OptionError(f"{where} (no {error.args[0]})") from None
        except ValueError as error:
            raise OptionError(f"{where} ({error})") from None
        if example is None:
            raise OptionError(where)
        found.append(example)
    if not found:
        raise OptionError(f"{option} {file.path}: no example in it")
    return found


def text_field(row: Mapping[str, Any], name: str) -> str:
    """A field of an object. Raises KeyError if it is missing, and ValueError if it is no text."""
    text = row[name]
    if not isinstance(text, str):
        raise ValueError(f"{name} is no text")
    return text


def _rows(content: str) -> list[Any]:
    if content.lstrip().startswith("["):
        rows: list[Any] = json.loads(content)
        return rows
    return [json.loads(line) for line in content.split("\n") if line.strip()]
