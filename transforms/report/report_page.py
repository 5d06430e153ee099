"""The report of a run as one HTML page: numbers and samples become rows, a template shows them.

They were gathered before (pipelines/report.py). What comes from pages is hostile: strings are cut
here, and the template escapes them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from factmill.schemas.manifest import Manifest, StageCounts
from factmill.transforms.report.figures import NONE, Fact, facts, label, percent, size
from factmill.transforms.report.report_sample import CodeBalance, ShownUnit
from factmill.transforms.report.report_template import render
from factmill.transforms.report.untrusted_text import Excerpt, cut, excerpt, web_url

# What a stage counts.
_COUNTED = {
    "clean": "records to pages",
    "extract": "segments",
    "validate": "statements and questions",
    "compose": "QA pairs",
    "learn": "training pairs",
    "encode": "vectors",
    "index": "vectors",
}
_BARS = 20
_BAR_HEIGHT = 60
_QUESTIONS_NAMED = 20


@dataclass(frozen=True, slots=True)
class RunReport:
    """What the report shows. `shared` has, for each table, the bytes in files that are the parent's
    as well; `head` is the hash head's report; `quality` what the quality check found, if
    one ran."""

    manifest: Manifest
    shared: Mapping[str, int]
    balance: CodeBalance
    head: Mapping[str, Any]
    quality: Mapping[str, Any] | None
    units: Sequence[ShownUnit]


@dataclass(frozen=True, slots=True)
class _FunnelRow:
    stage: str
    counted: str
    imbalance: str
    records_in: str
    records_out: str
    rejected: str


@dataclass(frozen=True, slots=True)
class _TimeRow:
    """`width` of the bar, in percent."""

    job: str
    width: str
    share: str
    seconds: str


@dataclass(frozen=True, slots=True)
class _HistogramBar:
    """`bits` are 1 in `percent` to `percent` + 5 of the codes."""

    bits: int
    percent: int
    height: float


@dataclass(frozen=True, slots=True)
class _UnitView:
    """`source` is shown as where the unit is from; a link leads to `web_url`, if it is not ""."""

    unit_id: str
    kind: str
    text: str
    heading: str
    excerpt: Excerpt
    title: str
    source: str
    web_url: str


def report_page(report: RunReport) -> str:
    """The whole page."""
    manifest = report.manifest
    return render(
        build_id=manifest.build_id,
        about=_about(manifest),
        funnel=[_funnel_row(stage, counts) for stage, counts in manifest.counts.items()],
        rejects=_reject_rows(manifest.counts),
        llm=_llm_rows(manifest.llm),
        times=_time_rows(manifest.timings),
        total_seconds=f"{sum(manifest.timings.values()):,.1f}",
        tables=_table_rows(report),
        codes=_code_facts(report.balance, report.head),
        histogram=_histogram(report.balance.shares),
        quality=_quality_facts(report.quality),
        found_less=_found_less(report.quality),
        units=[_unit_view(unit) for unit in report.units],
    )


def imbalance(counts: StageCounts) -> str:
    """What is wrong with in = out + rejects, or "" when nothing is."""
    lost = counts.records_in - counts.records_out - sum(counts.rejected.values())
    if lost > 0:
        return f"does not add up: {lost:,} neither out nor rejected"
    return f"does not add up: {-lost:,} more than came in" if lost else ""


def _about(manifest: Manifest) -> list[Fact]:
    return facts(
        {
            "parent": manifest.parent or "none",
            "made": manifest.created_at,
            "code version": manifest.code_version,
        }
        | dict(manifest.configuration)
    )


def _funnel_row(stage: str, counts: StageCounts) -> _FunnelRow:
    return _FunnelRow(
        cut(stage),
        _COUNTED.get(stage, "records"),
        imbalance(counts),
        f"{counts.records_in:,}",
        f"{counts.records_out:,}",
        f"{sum(counts.rejected.values()):,}",
    )


def _reject_rows(counts: Mapping[str, StageCounts]) -> list[list[str]]:
    """Stage, reason, rejects, share; the most frequent reason of a stage first."""
    return [
        [cut(stage), cut(reason), f"{number:,}", percent(number, count.records_in)]
        for stage, count in counts.items()
        for reason, number in sorted(count.rejected.items(), key=lambda item: (-item[1], item[0]))
    ]


def _llm_rows(llm: Mapping[str, int]) -> list[list[str]]:
    """None when no LLM was used."""
    used = any(llm.values())
    return [[label(name), f"{number:,}"] for name, number in llm.items() if used]


def _time_rows(timings: Mapping[str, float]) -> list[_TimeRow]:
    total = sum(timings.values())
    return [
        _TimeRow(
            cut(job),
            f"{100 * seconds / total if total else 0:.1f}",
            percent(seconds, total),
            f"{seconds:,.1f}",
        )
        for job, seconds in timings.items()
    ]


def _table_rows(report: RunReport) -> list[list[str]]:
    """Table, rows, files, bytes, share of the bytes that lie in files of the parent."""
    rows = []
    for name, entry in sorted(report.manifest.tables.items()):
        total = sum(file.bytes for file in entry.files)
        # Of settings, models and captures nobody counts rows.
        counted = entry.rows or any(file.path.endswith(".parquet") for file in entry.files)
        number = f"{entry.rows:,}" if counted else NONE
        shared = percent(report.shared.get(name, 0), total) if report.manifest.parent else NONE
        rows.append([cut(name), number, f"{len(entry.files):,}", size(total), shared])
    return rows


def _code_facts(balance: CodeBalance, head: Mapping[str, Any]) -> list[Fact]:
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


def _histogram(shares: Sequence[float]) -> list[_HistogramBar]:
    """How many bits are 1 in so many of the codes; a good bit is 1 in about half of them."""
    bits = [0] * _BARS
    for share in shares:
        bits[min(int(share * _BARS), _BARS - 1)] += 1
    tallest = max(bits)
    return [
        _HistogramBar(number, 100 * bar // _BARS, round(_BAR_HEIGHT * number / tallest, 1))
        for bar, number in enumerate(bits)
        if tallest
    ]


def _quality_facts(quality: Mapping[str, Any] | None) -> list[Fact]:
    return facts({name: fact for name, fact in (quality or {}).items() if name != "worse_ids"})


def _found_less(quality: Mapping[str, Any] | None) -> list[str]:
    """Questions whose answers are found less well than in the parent build."""
    worse = (quality or {}).get("worse_ids") or []
    return [cut(name, 60) for name in worse[:_QUESTIONS_NAMED]]


def _unit_view(unit: ShownUnit) -> _UnitView:
    return _UnitView(
        cut(unit.unit_id),
        cut(unit.kind),
        cut(unit.text, 1000),
        cut(unit.heading),
        excerpt(unit.segment, unit.start, unit.end),
        cut(unit.title, 200),
        cut(unit.url or unit.source_id, 120),
        web_url(unit.url or unit.source_id),
    )
