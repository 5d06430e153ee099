"""The number of pages from each input source, stored for comparison with the next build.

    00_settings/sources.json    [{"path", "root", "read", "kept", "alone", "broken"}, ...]

A source is a file of many pages, or an input folder whose files have one page each. Builds of older
versions lack the file.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from factmill.schemas.input_source import InputSource
from factmill.schemas.layout import SETTINGS, BuildDir
from factmill.schemas.manifest import StageCounts
from factmill.schemas.storage.atomic import write_text
from factmill.schemas.storage.paths import StoragePath, read_text
from factmill.transforms.clean.clean_pages import SPLITS
from factmill.transforms.clean.compare_pages import split_pages_file
from factmill.transforms.inputs.discovery import InputFile, Split
from factmill.transforms.inputs.raw_page import BROKEN
from factmill.transforms.tasks.shard_files import read_rows
from factmill.transforms.tasks.task_results import TaskResults


def may_read_more(counts: StageCounts, files: Sequence[InputFile]) -> bool:
    """Whether a file that could not be read may be readable now although path, size and time of all
    `files` are as they were. One that is still absent is not.
    """
    return counts.rejected.get(BROKEN, 0) > sum(file.absent for file in files)


def input_sources(build: BuildDir, splits: Sequence[Split]) -> list[InputSource]:
    """The sources of a build whose pages were compared, sorted by path."""
    pages = {row["split"]: row for row in read_rows(split_pages_file(build))}
    counts = TaskResults.of(build, SPLITS).by_task()
    found: dict[str, InputSource] = {}
    for split in splits:
        row = pages.get(split.ordinal, {})
        read, kept, alone = (row.get(name, 0) for name in ("read", "kept", "alone"))
        broken = counts[split.ordinal].rejected.get(BROKEN, 0)
        source = InputSource(split.source, split.files[0].root, read, kept, alone, broken)
        found[source.path] = found[source.path] + source if source.path in found else source
    return [found[path] for path in sorted(found)]


def with_kept(before: Sequence[InputSource], after: Sequence[InputSource]) -> list[InputSource]:
    """The sources of a partial crawl, whose build keeps earlier pages."""
    merged = {source.path: source for source in before}
    for source in after:
        old = merged.get(source.path)
        if old is None or source.kept >= old.kept:
            merged[source.path] = source
    return [merged[path] for path in sorted(merged)]


def save_sources(build: BuildDir, sources: Sequence[InputSource]) -> None:
    write_text(_file(build), json.dumps([asdict(source) for source in sources], indent=1) + "\n")


def load_sources(build: BuildDir) -> list[InputSource] | None:
    """What `save_sources` wrote; None if missing or unreadable."""
    try:
        return [InputSource(**raw) for raw in json.loads(read_text(_file(build)))]
    except (OSError, ValueError, TypeError, RecursionError):
        return None


def _file(build: BuildDir) -> StoragePath:
    return build.root / SETTINGS / "sources.json"
