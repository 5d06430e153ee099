"""The report of a run as one HTML page: numbers and samples become rows, which a template shows.

pipelines/report.py gathers them. Strings from pages are untrusted: they are cut here, and the
template escapes them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from factmill.models.links.build_scorer import LinkScorerCard
from factmill.schemas.manifest import Manifest
from factmill.transforms.report.build_figures import BuildFigures
from factmill.transforms.report.comparison import Comparison, SiteFigure
from factmill.transforms.report.figures import NONE, NamedFigure, facts, percent, size
from factmill.transforms.report.input_changes import InputChange
from factmill.transforms.report.page_rows import (
    SourceView,
    confidence_rows,
    input_rows,
    kind_rows,
    language_rows,
    page_views,
    reason_rows,
    rejected_views,
    site_rows,
    source_view,
    table_change_rows,
    units_bars,
)
from factmill.transforms.report.report_sample import CodeBalance, ShownUnit
from factmill.transforms.report.report_template import render
from factmill.transforms.report.stage_rows import funnel_row, llm_rows, reject_rows, time_rows
from factmill.transforms.report.untrusted_text import Excerpt, cut, excerpt
from factmill.transforms.report.verdict import PublishVerdict, headline, next_steps

_BARS = 20
_BAR_HEIGHT = 60
_QUESTIONS_NAMED = 20


@dataclass(frozen=True, slots=True)
class RunReport:
    """The content of the report. `comparison` is with the previous build, None if there is none or
    it could not be read; `shared` has, for each table, the bytes in files linked from the parent;
    `head` is the hash head's report; `quality` the result of the quality check, if it ran; `links`
    the card of the link scorer, if one was trained.
    """

    manifest: Manifest
    verdict: PublishVerdict
    figures: BuildFigures
    comparison: Comparison | None
    sites: Sequence[SiteFigure]
    inputs: Sequence[InputChange]
    shared: Mapping[str, int]
    balance: CodeBalance
    head: Mapping[str, Any]
    quality: Mapping[str, Any] | None
    units: Sequence[ShownUnit]
    links: LinkScorerCard | None = None


@dataclass(frozen=True, slots=True)
class _HistogramBar:
    """A number of bits that are 1 in `percent` to `percent` + 5 of the codes."""

    bits: int
    percent: int
    height: float


@dataclass(frozen=True, slots=True)
class _UnitView:
    """A unit of the sample, and its page."""

    unit_id: str
    kind: str
    text: str
    heading: str
    excerpt: Excerpt
    page: SourceView


def report_page(report: RunReport) -> str:
    """The whole page."""
    manifest, verdict, figures = report.manifest, report.verdict, report.figures
    comparison = report.comparison
    changes = comparison.changes if comparison else None
    tables = changes.tables if changes else None
    return render(
        build_id=manifest.build_id,
        made=manifest.created_at,
        published=not verdict.kept_because,
        headline=cut(headline(verdict, manifest, tables, report.inputs), 2000),
        steps=next_steps(verdict, manifest, changes is not None),
        before=changes.before if changes else "",
        changes=table_change_rows(changes),
        reasons=reason_rows(changes),
        inputs=input_rows(report.inputs),
        inputs_more=max(0, len(report.inputs) - len(input_rows(report.inputs))),
        languages=language_rows(figures.languages, comparison.languages if comparison else None),
        kinds=kind_rows(figures.kinds, comparison.kinds if comparison else None),
        confidences=confidence_rows(
            figures.confidences, comparison.confidences if comparison else None
        ),
        sites=site_rows(report.sites, comparison is not None),
        units_per_page=units_bars(figures),
        longest=page_views(figures.longest),
        strangest=page_views(figures.strangest),
        pages_sampled=f"{figures.pages_sampled:,}",
        examples=rejected_views(figures.rejected),
        about=_about(manifest),
        funnel=[funnel_row(stage, counts) for stage, counts in manifest.counts.items()],
        rejects=reject_rows(manifest.counts, changes),
        llm=llm_rows(manifest.llm),
        times=time_rows(manifest.timings),
        total_seconds=f"{sum(manifest.timings.values()):,.1f}",
        tables=_table_rows(report),
        codes=_code_facts(report.balance, report.head),
        histogram=_histogram(report.balance.shares),
        links=_link_facts(report.links),
        quality=_quality_facts(report.quality),
        found_less=_found_less(report.quality),
        units=[_unit_view(unit) for unit in report.units],
    )


def _about(manifest: Manifest) -> list[NamedFigure]:
    return facts(
        {
            "parent": manifest.parent or "none",
            "made": manifest.created_at,
            "code version": manifest.code_version,
        }
        | dict(manifest.configuration)
    )


def _table_rows(report: RunReport) -> list[list[str]]:
    """Table, rows, files, bytes, share of the bytes in files linked from the parent."""
    rows = []
    for name, entry in sorted(report.manifest.tables.items()):
        total = sum(file.bytes for file in entry.files)
        # Rows are not counted for settings, models and captures.
        counted = entry.rows or any(file.path.endswith(".parquet") for file in entry.files)
        number = f"{entry.rows:,}" if counted else NONE
        shared = percent(report.shared.get(name, 0), total) if report.manifest.parent else NONE
        rows.append([cut(name), number, f"{len(entry.files):,}", size(total), shared])
    return rows


def _code_facts(balance: CodeBalance, head: Mapping[str, Any]) -> list[NamedFigure]:
    names = ("code_recall", "code_recall_learned", "retraining_due", "inherited_from")
    values = {name: head[name] for name in names if name in head}
    if shares := balance.shares:
        lowest, highest = min(shares), max(shares)
        values |= {
            "codes looked at": balance.codes,
            "ones, mean of all bits": f"{sum(shares) / len(shares):.3f}",
            "ones, lowest": f"{lowest:.3f} (bit {shares.index(lowest)})",
            "ones, highest": f"{highest:.3f} (bit {shares.index(highest)})",
        }
    return facts(values)


def _link_facts(card: LinkScorerCard | None) -> list[NamedFigure]:
    if card is None:
        return []
    values = {
        "scorer": f"trained by {card.build}" if card.better else "the package's; no better learned",
        "questions": card.training.get("file"),
        "questions asked": card.training.get("asked"),
    }
    for name, recalls in card.held_out.items():
        found = recalls.get("all", {}).items()
        values[f"held out, {name}"] = [f"{depth} {recall:.3f}" for depth, recall in found]
    return facts(values)


def _histogram(shares: Sequence[float]) -> list[_HistogramBar]:
    """Numbers of bits by their share of ones over all codes; a good bit is 1 in about half of
    them.
    """
    bits = [0] * _BARS
    for share in shares:
        bits[min(int(share * _BARS), _BARS - 1)] += 1
    tallest = max(bits)
    return [
        _HistogramBar(number, 100 * bar // _BARS, round(_BAR_HEIGHT * number / tallest, 1))
        for bar, number in enumerate(bits)
        if tallest
    ]


def _quality_facts(quality: Mapping[str, Any] | None) -> list[NamedFigure]:
    return facts({name: fact for name, fact in (quality or {}).items() if name != "worse_ids"})


def _found_less(quality: Mapping[str, Any] | None) -> list[str]:
    """Questions with lower recall than in the parent build."""
    worse = (quality or {}).get("worse_ids") or []
    return [cut(name, 60) for name in worse[:_QUESTIONS_NAMED]]


def _unit_view(unit: ShownUnit) -> _UnitView:
    return _UnitView(
        cut(unit.unit_id),
        cut(unit.kind),
        cut(unit.text, 1000),
        cut(unit.heading),
        excerpt(unit.segment, unit.start, unit.end),
        source_view(unit.title, unit.url or unit.source_id),
    )
