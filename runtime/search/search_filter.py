"""Search filters: as a user writes them, and as evaluated for one build."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import get_args

from factmill.models.arrays import Flags, Integers
from factmill.schemas.errors import OptionError
from factmill.schemas.index_files import ROW_KINDS
from factmill.schemas.records import PageKind

SEGMENT_KINDS = ("text", "table", "data")
UNIT_KINDS = ROW_KINDS[1:]
PAGE_KINDS = get_args(PageKind)
# The fields of a filter whose values are texts.
TEXT_FIELDS = ("sites", "languages", "page_kinds", "segment_kinds", "unit_kinds")
MAX_VALUES = 100
# A name, or an address of IPv6 as in a URL.
_SITE = re.compile(r"[\w.-]+|\[[0-9a-fA-F:.]+\]")
# What follows the code, a script or region, is not in the column `lang`.
_LANGUAGE = re.compile(r"([A-Za-z]{2,3})(?:[-_][A-Za-z0-9]+)*")


def _is_value(value: object) -> bool:
    return isinstance(value, str) and bool(value) and value.isprintable()


def _host(site: str) -> str:
    """A site as it is spelled in the URLs of pages, without "www.". Raises OptionError."""
    # Imported on first use: loading its tables takes longer than many a search.
    from factmill.models.text.urls import canonical_url_of

    start, end = "https://", "/"
    url = canonical_url_of(f"{start}{site}{end}") if _SITE.fullmatch(site) else ""
    host = url.removeprefix(start).removesuffix(end).removeprefix("www.")
    if not host.strip("."):
        raise OptionError(f"sites: {site!r} is not a host like example.org")
    return host


def _language(code: str) -> str:
    """A language as it is spelled in `lang`: "en" for "EN" and "en-US". Raises OptionError."""
    found = _LANGUAGE.fullmatch(code)
    if not found:
        raise OptionError(f"languages: {code!r} is not a language code like en or de")
    return found[1].lower()


def _in_utc(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        return moment.replace(tzinfo=timezone.utc)
    try:
        return moment.astimezone(timezone.utc)
    except OverflowError:
        edge = datetime.min if moment.year == 1 else datetime.max
        return edge.replace(tzinfo=timezone.utc)


@dataclass(frozen=True, slots=True)
class SearchFilter:
    """What a search may find; an empty field allows everything. One of several values must match,
    and all fields must.

    `sites` are hosts, including their subdomains, in any spelling. `languages` are codes as in
    `lang`, of which case and region do not count, `page_kinds` are PAGE_KINDS. `segment_kinds` are
    "text", "table" and "data" (structured data); `unit_kinds` are "proposition" and "qa_pair": only
    segments with such a unit are found, and only such units are shown. `fetched_from` and
    `fetched_until` are inclusive times, in UTC unless they have a zone; a page without a date is
    excluded. Raises OptionError.
    """

    sites: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    page_kinds: tuple[str, ...] = ()
    segment_kinds: tuple[str, ...] = ()
    unit_kinds: tuple[str, ...] = ()
    fetched_from: datetime | None = None
    fetched_until: datetime | None = None

    def __post_init__(self) -> None:
        for name in TEXT_FIELDS:
            values = getattr(self, name)
            is_list = isinstance(values, Collection) and not isinstance(values, str)
            if not is_list or not all(map(_is_value, values)):
                raise OptionError(f"{name} must be a sequence of printable texts")
            if len(values) > MAX_VALUES:
                raise OptionError(f"{name} must have at most {MAX_VALUES} values")
            object.__setattr__(self, name, tuple(sorted(set(values))))
        for name, there_are in (
            ("page_kinds", PAGE_KINDS),
            ("segment_kinds", SEGMENT_KINDS),
            ("unit_kinds", UNIT_KINDS),
        ):
            for value in getattr(self, name):
                if value not in there_are:
                    raise OptionError(f"{name}: {value!r} must be one of {', '.join(there_are)}")
        for name, spelled in (("sites", _host), ("languages", _language)):
            values = set(map(spelled, getattr(self, name)))
            object.__setattr__(self, name, tuple(sorted(values)))
        for name in ("fetched_from", "fetched_until"):
            moment = getattr(self, name)
            if moment is not None:
                if not isinstance(moment, datetime):
                    raise OptionError(f"{name} must be a datetime, not {type(moment).__name__}")
                object.__setattr__(self, name, _in_utc(moment))

    def __bool__(self) -> bool:
        """Whether the filter excludes anything."""
        return self != _EVERYTHING

    @property
    def columns(self) -> list[str]:
        """The columns of pages that the filter needs."""
        asked = {
            "url": self.sites,
            "lang": self.languages,
            "kind": self.page_kinds,
            "fetched_at": self.fetched_from or self.fetched_until,
        }
        return [name for name, wanted in asked.items() if wanted]


_EVERYTHING = SearchFilter()


@dataclass(frozen=True, slots=True)
class Allowed:
    """The segments that a filter allows: a flag for each, their numbers if they are `few`, and
    their number of rows. `unit_kinds` are the kinds of units to show, as stored; None for all.
    """

    segments: Flags
    few: Integers | None
    rows: int
    unit_kinds: frozenset[int] | None

    def among(self, segments: Integers) -> Integers:
        """The allowed ones of the segments."""
        return segments[self.segments[segments]]
