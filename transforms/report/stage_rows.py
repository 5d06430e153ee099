"""The report's rows about stages: records in, out and rejected, tokens, times."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from factmill.schemas.manifest import StageCounts
from factmill.transforms.report.build_changes import BuildChanges
from factmill.transforms.report.figures import NONE, label, percent
from factmill.transforms.report.untrusted_text import cut

# What a stage counts.
_COUNTED = {
    "clean": "records to pages",
    "extract": "segments",
    "validate": "statements and questions",
    "compose": "QA pairs",
    "learn": "training pairs, or questions that measured the codes",
    "encode": "vectors",
    "index": "vectors",
}


@dataclass(frozen=True, slots=True)
class FunnelRow:
    """What a stage counts, whether it adds up, and its numbers, as texts."""

    stage: str
    counted: str
    imbalance: str
    records_in: str
    records_out: str
    rejected: str


@dataclass(frozen=True, slots=True)
class TimeRow:
    """`width` of the bar, in percent."""

    job: str
    width: str
    share: str
    seconds: str


def imbalance(counts: StageCounts) -> str:
    """A violation of in = out + rejects, or ""."""
    lost = counts.records_in - counts.records_out - sum(counts.rejected.values())
    if lost > 0:
        return f"does not add up: {lost:,} neither out nor rejected"
    return f"does not add up: {-lost:,} more than came in" if lost else ""


def funnel_row(stage: str, counts: StageCounts) -> FunnelRow:
    """What a stage counts, and its records in, out and rejected."""
    return FunnelRow(
        cut(stage),
        _COUNTED.get(stage, "records"),
        imbalance(counts),
        f"{counts.records_in:,}",
        f"{counts.records_out:,}",
        f"{sum(counts.rejected.values()):,}",
    )


def reject_rows(counts: Mapping[str, StageCounts], changes: BuildChanges | None) -> list[list[str]]:
    """Stage, reason, rejects before and now, share; the most frequent reason of a stage first."""
    before = {(one.stage, one.reason): one.before for one in changes.rejects} if changes else {}
    rows = {
        (stage, reason): number
        for stage, count in counts.items()
        for reason, number in sorted(count.rejected.items(), key=lambda item: (-item[1], item[0]))
    }
    gone = {key: 0 for key in before if key not in rows}
    return [
        [
            cut(stage),
            cut(reason),
            f"{before.get((stage, reason), 0):,}" if changes else NONE,
            f"{number:,}",
            percent(number, counts[stage].records_in),
        ]
        for (stage, reason), number in (rows | gone).items()
    ]


def llm_rows(llm: Mapping[str, int]) -> list[list[str]]:
    """Each count of the ledger by its name; no rows when no LLM was used."""
    used = any(llm.values())
    return [[label(name), f"{number:,}"] for name, number in llm.items() if used]


def time_rows(timings: Mapping[str, float]) -> list[TimeRow]:
    """Each job with its seconds and their share of all seconds, once as the width of a bar."""
    total = sum(timings.values())
    return [
        TimeRow(
            cut(job),
            f"{100 * seconds / total if total else 0:.1f}",
            percent(seconds, total),
            f"{seconds:,.1f}",
        )
        for job, seconds in timings.items()
    ]
