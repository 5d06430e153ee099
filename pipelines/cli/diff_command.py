"""The command `diff`: what changed from one build to another, as text and as JSON."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb

from factmill.pipelines.store.rollback import published_before
from factmill.runtime.readers_lock import holding
from factmill.schemas.errors import CorruptStore, OptionError
from factmill.schemas.layout import BuildDir, Store
from factmill.schemas.manifest import OLDEST_TABLES, Manifest, read_manifest
from factmill.transforms.report.build_changes import BuildChanges, build_changes
from factmill.transforms.tasks.scratch_database import bounded_database

_SITES_SHOWN = 20
_Build = tuple[BuildDir, Manifest]


def diff_command(options: argparse.Namespace) -> tuple[str, dict[str, Any]]:
    """The result for a person, and for a program. Raises OptionError when there are no such builds
    or memory is too small; CorruptStore for unreadable tables.
    """
    before, after = _builds_to_compare(options.store, options.before, options.after)
    try:
        with (
            holding(before[0]),
            holding(after[0]),
            tempfile.TemporaryDirectory(prefix="factmill-diff-") as scratch,
            bounded_database(Path(scratch), options.max_memory) as database,
        ):
            changes = build_changes(database, Path(scratch), before, after)
    except duckdb.OutOfMemoryException:
        raise OptionError(f"--max-memory {options.max_memory:g}: does not suffice") from None
    except duckdb.Error as error:
        raise CorruptStore(f"{options.store.root}: {' '.join(str(error).split())}") from None
    return "\n".join(_lines(changes)), changes.as_json()


def _builds_to_compare(
    store: Store, before: str | None, after: str | None
) -> tuple[_Build, _Build]:
    """The builds with these ids; by default the published build and the one before it."""
    new = store.published() if after is None else store.complete(after, "--to")
    manifest = read_manifest(new, OLDEST_TABLES)
    old = _before(new, manifest) if before is None else store.complete(before, "--from")
    return (old, read_manifest(old, OLDEST_TABLES)), (new, manifest)


def _before(new: BuildDir, manifest: Manifest) -> BuildDir:
    """The parent; for a build from scratch, the build that was published before it."""
    if manifest.parent is None:
        earlier = published_before(new.store, new.build_id)
        if earlier is None:
            raise OptionError(f"no build was published before {new.build_id}; name one with --from")
        return earlier
    parent = new.store.build(manifest.parent)
    if not parent.manifest.is_file():
        raise OptionError(
            f"the parent of {new.build_id}, {manifest.parent}, is gone; name a build with --from"
        )
    return parent


def _lines(changes: BuildChanges) -> Iterator[str]:
    yield f"from {changes.before} to {changes.after}"
    yield ""
    yield from _columns(
        ["", "before", "after", "added", "changed", "removed"],
        [
            [table[3:], row.before, row.after, row.added, row.changed, row.removed]
            for table, row in changes.tables.items()
        ],
    )
    if changes.reasons:
        yield ""
        yield from _columns(
            ["pages", "why", ""], [[row.kind, row.reason, row.pages] for row in changes.reasons]
        )
    if changes.sites:
        yield ""
        yield from _columns(
            ["site", "pages +", "~", "-", "segments +", "-", "units +", "-"],
            [
                [row.site or "(no URL)", row.pages_added, row.pages_changed, row.pages_removed,
                 row.segments_added, row.segments_removed, row.units_added, row.units_removed]
                for row in changes.sites[:_SITES_SHOWN]
            ],
        )  # fmt: skip
        if changes.site_count > _SITES_SHOWN:
            more = changes.site_count - _SITES_SHOWN
            yield f"and {more:,} more {'site' if more == 1 else 'sites'}"
    different = [row for row in changes.rejects if row.before != row.after]
    if different:
        yield ""
        yield from _columns(
            ["rejects", "why", "before", "after"],
            [[row.stage, row.reason, row.before, row.after] for row in different],
        )


def _columns(head: Sequence[str], rows: Sequence[Sequence[object]]) -> Iterator[str]:
    """Lines of aligned columns: numbers to the right, words to the left."""
    shown = [
        [f"{cell:,}" if isinstance(cell, int) else " ".join(str(cell).split()) for cell in row]
        for row in rows
    ]
    widths = [max(map(len, column)) for column in zip(head, *shown, strict=True)]
    numbers = [isinstance(cell, int) for cell in rows[0]]
    for line in (head, *shown):
        cells = zip(line, widths, numbers, strict=True)
        yield "  ".join(
            cell.rjust(width) if number else cell.ljust(width) for cell, width, number in cells
        ).rstrip()
