"""Renders the template `report.html.j2`: the only code that turns strings into HTML."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from factmill.transforms.report.untrusted_text import printable


def render(**values: object) -> str:
    """The page. Every value is escaped and loses its control characters, whatever its origin."""
    return _environment().get_template("report.html.j2").render(**values)


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        keep_trailing_newline=True,
    )


def _finalize(value: object) -> object:
    """A value on its way into the page; output of the template's own macros is already HTML."""
    return value if isinstance(value, Markup) else printable(str(value))
