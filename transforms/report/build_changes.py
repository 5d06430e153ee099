"""The differences between two builds: pages, segments and units, by site and by reason.

Ids are content hashes: a page with the same id and another content hash is changed; an edited
segment or unit counts as one removed and one added. Shards with the same file in both builds are
not read, and DuckDB joins the others in bounded memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import duckdb

from factmill.schemas.errors import CorruptStore, OptionError
from factmill.schemas.layout import PART, BuildDir, shard_name
from factmill.schemas.manifest import Manifest
from factmill.schemas.tables import (
    CLEAN_REJECTS_TABLE,
    PAGES_TABLE,
    PROPOSITIONS_TABLE,
    QA_PAIRS_TABLE,
    SEGMENTS_TABLE,
)
from factmill.transforms.report.build_views import BuildViews, add_site_macro

# The tables that are compared, and the id of their rows.
COMPARED = {
    PAGES_TABLE: "page_id",
    SEGMENTS_TABLE: "segment_id",
    PROPOSITIONS_TABLE: "unit_id",
    QA_PAIRS_TABLE: "unit_id",
}
# How many sites and reasons, those with the most changes, are listed; the others are counted.
MAX_SITES = 1000
NOT_IN_INPUT = "not in the input"
NOT_THERE_BEFORE = "not there before"

_CHANGED_PAGES = """
CREATE TABLE change AS
SELECT '10_pages' AS tab, coalesce(now.page_id, was.page_id) AS page_id,
       CASE WHEN was.page_id IS NULL THEN 'added' WHEN now.page_id IS NULL THEN 'removed'
            ELSE 'changed' END AS kind
FROM (SELECT page_id, content_hash FROM after_10_pages) now
FULL JOIN (SELECT page_id, content_hash FROM before_10_pages) was USING (page_id)
WHERE was.page_id IS NULL OR now.page_id IS NULL OR was.content_hash <> now.content_hash
"""
_CHANGED_ROWS = """
INSERT INTO change
SELECT '{table}', coalesce(now.page_id, was.page_id),
       if(was.{id} IS NULL, 'added', 'removed')
FROM (SELECT {id}, page_id FROM after_{table}) now
FULL JOIN (SELECT {id}, page_id FROM before_{table}) was USING ({id})
WHERE was.{id} IS NULL OR now.{id} IS NULL
"""
_COUNTS = "SELECT tab, kind, count(*) FROM change GROUP BY ALL"
_SITES = """
CREATE TABLE site_change AS
SELECT coalesce(site_of(url), '') AS site,
       count(*) FILTER (tab = '10_pages' AND kind = 'added') AS pages_added,
       count(*) FILTER (tab = '10_pages' AND kind = 'changed') AS pages_changed,
       count(*) FILTER (tab = '10_pages' AND kind = 'removed') AS pages_removed,
       count(*) FILTER (tab = '11_segments' AND kind = 'added') AS segments_added,
       count(*) FILTER (tab = '11_segments' AND kind = 'removed') AS segments_removed,
       count(*) FILTER (tab LIKE '2%' AND kind = 'added') AS units_added,
       count(*) FILTER (tab LIKE '2%' AND kind = 'removed') AS units_removed
FROM change LEFT JOIN (
    SELECT page_id, any_value(url) AS url
    FROM (SELECT page_id, url FROM after_10_pages
          UNION ALL SELECT page_id, url FROM before_10_pages)
    WHERE page_id IN (SELECT page_id FROM change) GROUP BY page_id
) USING (page_id)
GROUP BY 1
"""
_LARGEST_SITES = """
SELECT * FROM site_change
ORDER BY pages_added + pages_changed + pages_removed DESC, units_added + units_removed DESC, site
LIMIT {limit}
"""
# A page may be rejected in several captures: the first reason by name is reported, and that another
# capture superseded it only where there is no other.
_REASONS = """
SELECT kind, coalesce(reason, if(kind = 'added', '{new}', '{gone}')) AS reason, count(*) AS pages
FROM change LEFT JOIN (
    SELECT 'removed' AS kind, page_id,
           coalesce(min(reason) FILTER (reason <> 'superseded'), 'superseded') AS reason
    FROM after_19_rejects WHERE page_id IS NOT NULL GROUP BY page_id
    UNION ALL
    SELECT 'added', page_id,
           coalesce(min(reason) FILTER (reason <> 'superseded'), 'superseded')
    FROM before_19_rejects WHERE page_id IS NOT NULL GROUP BY page_id
) USING (kind, page_id)
WHERE tab = '10_pages' AND kind <> 'changed'
GROUP BY ALL ORDER BY kind, pages DESC, reason
"""


@dataclass(frozen=True, slots=True)
class TableChange:
    """Rows of a table before and after, and how they differ."""

    before: int
    after: int
    added: int = 0
    changed: int = 0
    removed: int = 0


@dataclass(frozen=True, slots=True)
class SiteChange:
    """Changes of a site; "" stands for pages without URL."""

    site: str
    pages_added: int
    pages_changed: int
    pages_removed: int
    segments_added: int
    segments_removed: int
    units_added: int
    units_removed: int


@dataclass(frozen=True, slots=True)
class PageReason:
    """How many pages were added or removed because their records had been, or are now, rejected for
    a reason; or because they were absent.
    """

    kind: str
    reason: str
    pages: int


@dataclass(frozen=True, slots=True)
class RejectChange:
    """The number of rejects of a stage and reason, before and after."""

    stage: str
    reason: str
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class BuildChanges:
    """Changes from the build `before` to the build `after`. `sites` has those with the most
    changes, out of `site_count` that changed.
    """

    before: str
    after: str
    tables: Mapping[str, TableChange]
    sites: tuple[SiteChange, ...]
    site_count: int
    reasons: tuple[PageReason, ...]
    rejects: tuple[RejectChange, ...]

    def as_json(self) -> dict[str, Any]:
        """One document; tables are named without their number."""
        return {
            "from": self.before,
            "to": self.after,
            **{table[3:]: asdict(change) for table, change in self.tables.items()},
            "page_reasons": [asdict(reason) for reason in self.reasons],
            "sites": [asdict(site) for site in self.sites],
            "sites_changed": self.site_count,
            "rejects": [asdict(reject) for reject in self.rejects],
        }


def build_changes(
    database: duckdb.DuckDBPyConnection,
    scratch: Path,
    before: tuple[BuildDir, Manifest],
    after: tuple[BuildDir, Manifest],
) -> BuildChanges:
    """Compare two builds of a store in an empty database. Raises OptionError when they differ in
    the number of shards, CorruptStore for a manifest without a table.
    """
    old, new = before[1], after[1]
    if old.shards != new.shards:
        raise OptionError(
            f"{old.build_id} has {old.shards} shards and {new.build_id} has {new.shards}:"
            " they cannot be compared"
        )
    differing = {table: set(_differing(old, new, table)) for table in COMPARED}
    differing[PAGES_TABLE] = set.union(*differing.values())
    for name, (build, _) in (("before", before), ("after", after)):
        views = BuildViews(database, scratch, name, build)
        for table, shards in differing.items():
            views.add(table, shards)
        views.add(CLEAN_REJECTS_TABLE, differing[PAGES_TABLE])
    add_site_macro(database)
    database.execute(_CHANGED_PAGES)
    for table, key in COMPARED.items():
        if table != PAGES_TABLE:
            database.execute(_CHANGED_ROWS.format(table=table, id=key))
    return _read_changes(database, old, new)


def _differing(old: Manifest, new: Manifest, table: str) -> Iterator[int]:
    """The shards whose file differs between the builds."""
    was, now = _checksums(old, table), _checksums(new, table)
    for shard in range(new.shards):
        name = f"{table}/{shard_name(shard)}/{PART}"
        if was.get(name) != now.get(name):
            yield shard


def _checksums(manifest: Manifest, table: str) -> dict[str, str]:
    """The checksums of a table's files, by name."""
    if table not in manifest.tables:
        raise CorruptStore(f"{manifest.build_id}: its manifest has no table {table}")
    return {file.path: file.sha256 for file in manifest.tables[table].files}


def _read_changes(
    database: duckdb.DuckDBPyConnection, old: Manifest, new: Manifest
) -> BuildChanges:
    counts: dict[str, dict[str, int]] = {table: {} for table in COMPARED}
    for table, kind, number in database.execute(_COUNTS).fetchall():
        counts[table][kind] = number
    database.execute(_SITES)
    (site_count,) = database.execute("SELECT count(*) FROM site_change").fetchall()[0]
    sites = database.execute(_LARGEST_SITES.format(limit=MAX_SITES)).fetchall()
    reasons = database.execute(_REASONS.format(new=NOT_THERE_BEFORE, gone=NOT_IN_INPUT)).fetchall()
    return BuildChanges(
        old.build_id,
        new.build_id,
        {
            table: TableChange(old.tables[table].rows, new.tables[table].rows, **counts[table])
            for table in COMPARED
        },
        tuple(SiteChange(*row) for row in sites),
        site_count,
        tuple(PageReason(*row) for row in reasons),
        tuple(_reject_changes(old, new)),
    )


def _reject_changes(old: Manifest, new: Manifest) -> Iterator[RejectChange]:
    """By stage, the most frequent reason first."""
    for stage, counts in new.counts.items():
        was = old.counts[stage].rejected if stage in old.counts else {}
        now = counts.rejected
        for reason in sorted({*was, *now}, key=lambda one: (-now.get(one, 0), one)):
            yield RejectChange(stage, reason, was.get(reason, 0), now.get(reason, 0))
