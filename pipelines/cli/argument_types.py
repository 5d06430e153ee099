"""Argument types: each parses a text, or raises ArgumentTypeError with a one-line message."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from typing import get_args

from factmill.runtime.query_checks import MAX_HITS, check_query
from factmill.schemas.errors import OptionError
from factmill.schemas.layout import Store
from factmill.schemas.records import PageKind
from factmill.schemas.storage.paths import StoragePath, parse_storage_path

DEFAULT_CHECK = "auto"
DEFAULT_DEPTHS = (1, 2, 5, 20, 100)
ACCELERATOR_EXAMPLE = "type:nvidia-l4;count:1;install-nvidia-driver"


def positive(text: str) -> int:
    """An integer of at least 1."""
    return _at_least(1, text, "a positive number")


def count(text: str) -> int:
    """An integer of at least 0."""
    return _at_least(0, text, "a whole number of at least 0")


def _at_least(least: int, text: str, wanted: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = least - 1
    if value < least:
        raise argparse.ArgumentTypeError(f"{text!r} is not {wanted}")
    return value


def up_to(largest: int) -> Callable[[str], int]:
    """The type of integers from 1 to `largest`."""

    def number(text: str) -> int:
        value = positive(text)
        if value > largest:
            raise argparse.ArgumentTypeError(f"{text!r} is more than {largest}")
        return value

    return number


def storage_path(text: str) -> StoragePath:
    """A file or folder, local or in an object store."""
    if not text:
        raise argparse.ArgumentTypeError("the path is empty")
    try:
        text.encode()
        return parse_storage_path(text)
    except UnicodeEncodeError:
        raise argparse.ArgumentTypeError(f"{text}: the path is not valid Unicode") from None
    except OptionError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def store(text: str) -> Store:
    """A folder, local or in an object store."""
    return Store(storage_path(text))


def build_id(text: str) -> str:
    """The id of a build. An empty one, as from an unset shell variable, is refused."""
    if not text:
        raise argparse.ArgumentTypeError("the build id is empty")
    return text


def query(text: str) -> str:
    """A valid search query."""
    try:
        check_query(text)
    except OptionError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def depths(text: str) -> tuple[int, ...]:
    """Numbers of hits, from a text like "1,5,20"."""
    return tuple(sorted({up_to(MAX_HITS)(part) for part in text.split(",")}))


def languages(text: str) -> tuple[str, ...]:
    """Language codes, from a text like "en,de"."""
    codes = tuple(sorted({code.strip().lower() for code in text.split(",")}))
    for code in codes:
        if not re.fullmatch(r"[a-z]{2,3}", code):
            raise argparse.ArgumentTypeError(f"{code!r} is not a language code like en or de")
    return codes


def page_kinds(text: str) -> tuple[str, ...]:
    """Kinds of pages, from a text like "article,forum"."""
    kinds = tuple(sorted({kind.strip().lower() for kind in text.split(",")}))
    for kind in kinds:
        if kind not in get_args(PageKind):
            raise argparse.ArgumentTypeError(
                f"{kind!r} is not a kind of page: {', '.join(get_args(PageKind))}"
            )
    return kinds


def similarity(text: str) -> float | None:
    """A share from 0.5 to 1, or "off" as None."""
    if text == "off":
        return None
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.5 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number from 0.5 to 1 nor off")
    return value


def share(text: str) -> float:
    """A number from 0 to 1."""
    value = price(text)
    if value > 1:
        raise argparse.ArgumentTypeError(f"{text!r} is more than 1")
    return value


def price(text: str) -> float:
    """A number of at least 0."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of at least 0")
    return value


def above_zero(text: str) -> float:
    """A number above 0, up to a million."""
    value = price(text)
    if not 0 < value <= 1_000_000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return value


def accelerator(text: str) -> str:
    """Beam's resource hint for a GPU."""
    if text and not re.fullmatch(r"type:[\w.-]+(;[\w-]+(:[\w./-]+)?)*", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not like {ACCELERATOR_EXAMPLE}")
    return text
