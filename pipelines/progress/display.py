"""The choice of progress display: bars for people, or JSON lines for programs."""

from __future__ import annotations

from factmill.pipelines.progress.progress_bars import ProgressBars
from factmill.pipelines.progress.progress_lines import ProgressLines
from factmill.transforms.tasks.notices import logs_as_json

ProgressDisplay = ProgressBars | ProgressLines


def progress_display() -> ProgressDisplay:
    """The display that this command was asked to use."""
    return ProgressLines() if logs_as_json() else ProgressBars()
