"""The report of a run as one HTML page that needs nothing else: no script, no other file.

Made of numbers and samples that were gathered before (pipelines/report.py); it reads nothing. What
comes from pages is hostile, and is turned into HTML by transforms/report/report_html.py alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from factmill.schemas.manifest import Manifest, StageCounts
from factmill.transforms.report.report_html import bar, link, marked, said, table
from factmill.transforms.report.report_sample import CodeBalance, ShownUnit

# What a stage counts.
_COUNTS_OF = {
    "clean": "records to pages",
    "extract": "segments",
    "validate": "statements and questions",
    "compose": "QA pairs",
    "learn": "training pairs",
    "encode": "vectors",
    "index": "vectors",
}
_BARS = 20
_QUESTIONS_NAMED = 20
# Nothing is fetched, run or sent, whatever the page may hold.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_STYLE = """
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.4rem; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; border-bottom: 1px solid #8888; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; }
th, td { padding: .2rem .8rem .2rem 0; vertical-align: top; text-align: left; }
td { border-top: 1px solid #8884; overflow-wrap: anywhere; }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.bad { color: #c00; font-weight: bold; }
.bar { display: inline-block; width: 8rem; height: .7rem; background: #8883; }
.bar span { display: block; height: 100%; background: #48a; }
article { border-top: 1px solid #8884; padding: .5rem 0; break-inside: avoid; }
article p { margin: .3rem 0; overflow-wrap: anywhere; white-space: pre-line; }
.from { font-size: .85rem; }
@media (prefers-color-scheme: dark) { .bad { color: #f77; } }
@media print { body { max-width: none; padding: 0; } .wide { overflow: visible; }
.bar, mark { print-color-adjust: exact; } }
"""


@dataclass(frozen=True, slots=True)
class RunReport:
    """What the report shows. `shared` has, for each table, the bytes in files that are the parent's
    as well; `head` is the hash head's report; `gate` the quality gate's, if there was one."""

    manifest: Manifest
    shared: Mapping[str, int]
    balance: CodeBalance
    head: Mapping[str, Any]
    gate: Mapping[str, Any] | None
    units: Sequence[ShownUnit]


def report_page(report: RunReport) -> str:
    """The whole page."""
    manifest = report.manifest
    title = f"Build {said(manifest.build_id)}"
    sections = {
        "What it was made with": _about(manifest),
        "Funnel": _funnel(manifest.counts),
        "Rejects by reason": _reasons(manifest.counts),
        "Tokens of the LLM": _bill(manifest.llm),
        "Time": _times(manifest.timings),
        "Tables": _tables(report),
        "Hash codes": _codes(report.balance, report.head),
        "Quality gate": _gate(report.gate),
        "A sample of units": "".join(map(_unit, report.units)),
    }
    body = "".join(f"<h2>{name}</h2>\n{content}" for name, content in sections.items() if content)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="referrer" content="no-referrer">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f"<h1>{title}</h1>\n{body}</body>\n</html>\n"
    )


def imbalance(counts: StageCounts) -> str:
    """What is wrong with in = out + rejects, or "" when nothing is."""
    lost = counts.records_in - counts.records_out - sum(counts.rejected.values())
    if lost > 0:
        return f"does not add up: {lost:,} neither out nor rejected"
    return f"does not add up: {-lost:,} more than came in" if lost else ""


def _about(manifest: Manifest) -> str:
    facts = {
        "parent": manifest.parent or "none",
        "made": manifest.created_at,
        "code version": manifest.code_version,
        **{name.replace("_", " "): value for name, value in manifest.configuration.items()},
    }
    return _facts(facts)


def _funnel(counts: Mapping[str, StageCounts]) -> str:
    rows = []
    for stage, count in counts.items():
        wrong = imbalance(count)
        rejected = sum(count.rejected.values())
        rows.append(
            [
                said(stage), said(_COUNTS_OF.get(stage, "records")),
                f'<span class="bad">{wrong}</span>' if wrong else "adds up",
                f"{count.records_in:,}", f"{count.records_out:,}", f"{rejected:,}",
            ]
        )  # fmt: skip
    return table(["stage", "counts", "in = out + rejects", "in", "out", "rejects"], rows, 3)


def _reasons(counts: Mapping[str, StageCounts]) -> str:
    rows = [
        [said(stage), said(reason), f"{number:,}", _percent(number, count.records_in)]
        for stage, count in counts.items()
        for reason, number in sorted(count.rejected.items(), key=lambda item: (-item[1], item[0]))
    ]
    if not rows:
        return "<p>Nothing was rejected.</p>\n"
    return table(["stage", "reason", "rejects", "of what came in"], rows, 2)


def _bill(llm: Mapping[str, int]) -> str:
    if not any(llm.values()):
        return ""
    rows = [[said(name.replace("_", " ")), f"{number:,}"] for name, number in llm.items()]
    return table(["", "number"], rows, 1)


def _times(timings: Mapping[str, float]) -> str:
    total = sum(timings.values())
    rows = [
        [said(job), bar(seconds / total if total else 0.0), _percent(seconds, total),
         f"{seconds:,.1f}"]
        for job, seconds in timings.items()
    ]  # fmt: skip
    rows.append(["all", "", "", f"{total:,.1f}"])
    note = "<p>A job that was resumed counts from its resumption.</p>\n"
    return table(["job", "", "share", "seconds"], rows, 2) + note


def _tables(report: RunReport) -> str:
    rows = []
    for name, entry in sorted(report.manifest.tables.items()):
        size = sum(file.bytes for file in entry.files)
        # Of settings, models and captures nobody counts rows.
        counted = entry.rows or any(file.path.endswith(".parquet") for file in entry.files)
        shared = _percent(report.shared.get(name, 0), size) if report.manifest.parent else "–"
        rows.append(
            [said(name), f"{entry.rows:,}" if counted else "–", f"{len(entry.files):,}",
             _size(size), shared]
        )  # fmt: skip
    return table(["table", "rows", "files", "bytes", "shared with parent"], rows, 1)


def _codes(balance: CodeBalance, head: Mapping[str, Any]) -> str:
    names = ("code_recall", "code_recall_learned", "retraining_due", "inherited_from")
    facts = {name.replace("_", " "): head[name] for name in names if name in head}
    shares = balance.shares
    if not shares:
        return _facts(facts)
    lowest, highest = min(shares), max(shares)
    facts |= {
        "codes looked at": balance.codes,
        "ones, mean of all bits": _rounded(sum(shares) / len(shares)),
        "ones, lowest": f"{_rounded(lowest)} (bit {shares.index(lowest)})",
        "ones, highest": f"{_rounded(highest)} (bit {shares.index(highest)})",
    }
    return _facts(facts) + _histogram(shares)


def _histogram(shares: Sequence[float]) -> str:
    """How many bits are 1 in so many of the codes; a good bit is 1 in about half of them."""
    bars = [0] * _BARS
    for share in shares:
        bars[min(int(share * _BARS), _BARS - 1)] += 1
    tallest = max(bars)
    columns = "".join(
        f'<rect x="{10 * place}" y="{60 - height:g}" width="9" height="{height:g}" fill="#48a">'
        f"<title>{bits} bits are 1 in {5 * place} to {5 * place + 5}% of the codes</title></rect>"
        for place, bits in enumerate(bars)
        for height in [round(60 * bits / tallest, 1)]
    )
    width = 10 * _BARS
    return (
        '<svg role="img" aria-label="Number of bits by their share of ones" '
        f'viewBox="0 0 {width} 62" width="{2 * width}" style="max-width:100%">{columns}'
        f'<line x1="0" y1="61" x2="{width}" y2="61" stroke="#888"/></svg>\n'
        "<p>Bits by their share of ones, from 0 (left) to 1 (right).</p>\n"
    )


def _gate(gate: Mapping[str, Any] | None) -> str:
    if gate is None:
        return ""
    facts = {name.replace("_", " "): value for name, value in gate.items() if name != "worse_ids"}
    worse = gate.get("worse_ids") or []
    named = ", ".join(said(name, 60) for name in worse[:_QUESTIONS_NAMED])
    return _facts(facts) + (f"<p>Found less: {named}</p>\n" if named else "")


def _unit(unit: ShownUnit) -> str:
    heading = f"<p><b><bdi>{said(unit.heading)}</bdi></b></p>\n" if unit.heading else ""
    return (
        f'<article id="{said(unit.unit_id)}">\n'
        f'<p class="from">{said(unit.kind)} {said(unit.unit_id)}</p>\n'
        f'<p class="text" dir="auto">{said(unit.text, 1000)}</p>\n'
        f'<blockquote>{heading}<p dir="auto">{marked(unit.segment, unit.start, unit.end)}</p>'
        "</blockquote>\n"
        f'<p class="from"><bdi>{said(unit.title, 200)}</bdi> · '
        f"{link(unit.url or unit.source_id)}</p>\n</article>\n"
    )


def _facts(facts: Mapping[str, Any]) -> str:
    return table(["", ""], [[said(name), said(_plain(value))] for name, value in facts.items()])


def _plain(value: Any) -> str:
    if value is None or value == "" or value == []:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _rounded(share: float) -> str:
    return f"{share:.3f}"


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f}%" if whole else "–"


def _size(size: int) -> str:
    if size < 1000:
        return f"{size} B"
    return f"{size / 1000:,.1f} kB" if size < 1_000_000 else f"{size / 1_000_000:,.1f} MB"
