"""Formats figures and settings of a build for its report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from factmill.transforms.report.untrusted_text import cut

NONE = "–"
# A name and its value.
NamedFigure = tuple[str, str]


def facts(values: Mapping[str, Any]) -> list[NamedFigure]:
    """Each name without underscores, with its value."""
    return [(label(name), cut(_plain(value))) for name, value in values.items()]


def label(name: str) -> str:
    """A key as words."""
    return cut(name.replace("_", " "))


def _plain(value: Any) -> str:
    if value is None or value == "" or value == []:
        return NONE
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def percent(part: float, whole: float) -> str:
    """A share of a whole, which may be 0."""
    return f"{100 * part / whole:.1f}%" if whole else NONE


def size(number: int) -> str:
    """A number of bytes."""
    if number < 1000:
        return f"{number} B"
    return f"{number / 1000:,.1f} kB" if number < 1_000_000 else f"{number / 1_000_000:,.1f} MB"
