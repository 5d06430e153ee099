"""Recall@20 against time and against bytes, as pictures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.benchmarks.baselines.measuring import Line
from tests.benchmarks.baselines.method import EQUATION

_MARKERS = "osD^vP*X<>ph"


def draw(lines: Sequence[Line], folder: Path) -> list[Path]:
    """Write both pictures. Ladders are lines; what ranks by equation 10 is filled."""
    measured = [line for line in lines if line.recall is not None]
    return [
        _picture(
            measured, folder / "recall_by_time.png", "ms per query, one core", lambda x: x.median_ms
        ),
        _picture(
            [line for line in measured if line.chosen],
            folder / "recall_by_bytes.png",
            "bytes per unit",
            lambda x: x.bytes_per_unit,
        ),
    ]


def _picture(
    lines: Sequence[Line], path: Path, axis: str, value: Callable[[Line], float]
) -> Path:  # fmt: skip
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    series: dict[tuple[str, str, str], list[Line]] = defaultdict(list)
    for line in lines:
        series[line.title, line.label, line.ranking].append(line)
    figure, axes = pyplot.subplots(figsize=(13, 7), layout="constrained")
    titles = list(dict.fromkeys(line.title for line in lines))
    for (title, label, ranking), points in series.items():
        number = titles.index(title)
        axes.plot(
            [value(point) for point in points],
            [point.recall[20] for point in points if point.recall is not None],
            marker=_MARKERS[number % len(_MARKERS)],
            color=f"C{number % 10}",
            fillstyle="full" if ranking == EQUATION else "none",
            linestyle="--" if label == "Hamming" else "-",
            label=f"{title}; {label}, {ranking}",
        )
    axes.set(xscale="log", xlabel=axis, ylabel="recall@20 of gold pages")
    axes.grid(True, which="both", alpha=0.3)
    figure.legend(loc="outside right upper", fontsize="small")
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
    return path
