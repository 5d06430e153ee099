"""What was measured as a Markdown table and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from tests.benchmarks.baselines.judging import DEPTHS
from tests.benchmarks.baselines.measuring import Line

_HEAD = (
    "method", "query", "ranking", *(f"recall@{depth}" for depth in DEPTHS), "bytes/unit",
    "build s", "ms median", "ms p95", "the time holds",
)  # fmt: skip
_NOTES = """\
Recall: share of gold pages, mean over questions. A method gives its nearest 1,000 rows, a graph as
many as its effort. "best row": a page scores as its best row; "equation 10": the product's way.
Bytes: the index as its library writes it, all that it needs for a query but texts and the pages of
rows. Build: training and filling, all cores. Milliseconds: one question at a time, one thread on
one core, encoding excluded; pages by best row are made of rows outside the time taken.
Effort (efSearch, nprobe): the smallest from which on recall@20 is within 0.1 point of the method
that searches everything, and the largest tried; "not reached" when none of the ladder is."""


def markdown(lines: Sequence[Line]) -> str:
    """The table of the chosen lines, with what its columns mean."""
    rows = [_HEAD, ["---"] * 3 + ["---:"] * 8 + ["---"]]
    rows += [_cells(line) for line in lines if line.chosen]
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return f"{table}\n\n{_NOTES}\n"


def _cells(line: Line) -> list[str]:
    title = line.title
    if line.recall is None:
        return [title, f"failed: {line.failure.replace('|', '/')}", *[""] * (len(_HEAD) - 2)]
    if line.effort:
        title += f", effort {line.effort}{'' if line.reached else ' (not reached)'}"
    return [
        title,
        line.label,
        line.ranking,
        *(f"{line.recall[depth]:.3f}" for depth in DEPTHS),
        f"{line.bytes_per_unit:,.1f}",
        f"{line.build_seconds:,.0f}",
        f"{line.median_ms:.3f}",
        f"{line.p95_ms:.3f}",
        line.timed,
    ]


def as_json(about: dict[str, Any], lines: Sequence[Line]) -> str:
    """Everything, ladders included."""
    return json.dumps(about | {"lines": [asdict(line) for line in lines]}, indent=1) + "\n"
