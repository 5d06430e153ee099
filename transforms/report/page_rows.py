"""The report's rows about pages, sites and rejects; strings are cut here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from factmill.transforms.report.build_changes import BuildChanges
from factmill.transforms.report.build_figures import BuildFigures, PageFigure
from factmill.transforms.report.comparison import SiteFigure
from factmill.transforms.report.figures import NONE, percent
from factmill.transforms.report.input_changes import InputChange
from factmill.transforms.report.reject_examples import RejectedFor
from factmill.transforms.report.untrusted_text import cut, web_url

_MAX_LANGUAGES = 10
_MAX_KINDS = 8
_MAX_INPUTS = 20
_EXCERPT = 300


@dataclass(frozen=True, slots=True)
class SourceView:
    """The source of an item: a title, and a link if `web_url` is not ""."""

    title: str
    source: str
    web_url: str


@dataclass(frozen=True, slots=True)
class PageView:
    """A page with its numbers as text, and `why` it is shown."""

    page: SourceView
    why: str
    numbers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExampleView:
    """A reject; `text` is an excerpt of its segment."""

    record: SourceView
    detail: str
    text: str


@dataclass(frozen=True, slots=True)
class RejectedView:
    """Examples of rejects with one reason."""

    stage: str
    reason: str
    count: str
    examples: tuple[ExampleView, ...]


@dataclass(frozen=True, slots=True)
class BarView:
    """A bar of a histogram; `width` is in percent of the longest bar."""

    label: str
    number: str
    width: str


def source_view(title: str, source: str) -> SourceView:
    return SourceView(cut(title, 200), cut(source, 120), web_url(source))


def page_views(pages: Sequence[PageFigure]) -> list[PageView]:
    """Pages with their characters, segments and units."""
    return [
        PageView(
            source_view(page.title, page.source),
            cut(page.why),
            (f"{page.characters:,}", f"{page.segments:,}", f"{page.units:,}"),
        )
        for page in pages
    ]


def units_bars(figures: BuildFigures) -> list[BarView]:
    """Pages by their number of units."""
    longest = max((pages for _, pages in figures.units_per_page), default=0)
    return [
        BarView(_span(low), f"{pages:,}", f"{100 * pages / longest:.1f}")
        for low, pages in figures.units_per_page
    ]


def _span(low: int) -> str:
    return str(low) if low < 2 else f"{low:,} to {2 * low - 1:,}"


def rejected_views(rejected: Sequence[RejectedFor]) -> list[RejectedView]:
    """Every reason with its examples."""
    return [
        RejectedView(
            cut(one.stage),
            cut(one.reason),
            f"{one.count:,}",
            tuple(
                ExampleView(
                    source_view("", example.url or example.record_id),
                    cut(example.detail),
                    cut(example.text, _EXCERPT),
                )
                for example in one.examples
            ),
        )
        for one in rejected
    ]


def table_change_rows(changes: BuildChanges | None) -> list[list[str]]:
    """Table, before, now, added, changed, removed."""
    if changes is None:
        return []
    return [
        [table[3:].replace("_", " "), f"{row.before:,}", f"{row.after:,}", f"{row.added:,}",
         f"{row.changed:,}", f"{row.removed:,}"]
        for table, row in changes.tables.items()
    ]  # fmt: skip


def reason_rows(changes: BuildChanges | None) -> list[list[str]]:
    """Added or removed, why, pages."""
    if changes is None:
        return []
    return [[one.kind, cut(one.reason), f"{one.pages:,}"] for one in changes.reasons]


def language_rows(now: Mapping[str, int], before: Mapping[str, int] | None) -> list[list[str]]:
    """Language, before, now and share; the most frequent, and the others together."""
    return _counted_rows(now, before, _MAX_LANGUAGES)


def kind_rows(now: Mapping[str, int], before: Mapping[str, int] | None) -> list[list[str]]:
    """Kind of page, before, now and share; eight rows, including pages without a kind."""
    return _counted_rows(now, before, _MAX_KINDS)


def confidence_rows(now: Mapping[str, int], before: Mapping[str, int] | None) -> list[list[str]]:
    """Confidence of main texts, before, now and share."""
    return _counted_rows(now, before, _MAX_KINDS)


def _counted_rows(
    now: Mapping[str, int], before: Mapping[str, int] | None, most: int
) -> list[list[str]]:
    total = sum(now.values())
    names = sorted(now, key=lambda name: (-now[name], name))[:most]
    rows = [(name or "unknown", (before or {}).get(name, 0), now[name]) for name in names]
    others = total - sum(row[2] for row in rows)
    others_before = sum((before or {}).values()) - sum(row[1] for row in rows)
    if others or others_before:
        rows.append(("others", others_before, others))
    return [
        [cut(name, 40), f"{was:,}" if before is not None else NONE, f"{is_now:,}",
         percent(is_now, total)]
        for name, was, is_now in rows
    ]  # fmt: skip


def site_rows(sites: Sequence[SiteFigure], compared: bool) -> list[list[str]]:
    """Site, pages before and now, rejected records before and now."""
    return [
        [
            cut(site.site, 100) or "(no URL)",
            f"{site.pages_before:,}" if compared else NONE,
            f"{site.pages:,}",
            f"{site.rejects_before:,}" if compared else NONE,
            f"{site.rejects:,}",
        ]
        for site in sites
    ]


def input_rows(inputs: Sequence[InputChange]) -> list[list[str]]:
    """Input, problem, pages before and now; the largest losses."""
    return [
        [cut(one.path, 200), one.fault, f"{one.before:,}", f"{one.now:,}"]
        for one in inputs[:_MAX_INPUTS]
    ]
