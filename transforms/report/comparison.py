"""A build compared with the previous one: changes, languages and sites of both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import duckdb

from factmill.schemas.layout import BuildDir
from factmill.schemas.manifest import Manifest
from factmill.schemas.tables import CLEAN_REJECTS_TABLE, PAGES_TABLE
from factmill.transforms.report.build_changes import BuildChanges, build_changes
from factmill.transforms.report.build_figures import confidences, pages_by_kind, pages_by_language
from factmill.transforms.report.build_views import BuildViews, add_site_macro
from factmill.transforms.tasks.scratch_database import bounded_database

_MAX_SITES = 15

_SITES = """
SELECT * FROM (
    SELECT site_of(url) AS site, count(*) FILTER (counted = 'pages_before') AS pages_before,
           count(*) FILTER (counted = 'pages') AS pages,
           count(*) FILTER (counted = 'rejects_before') AS rejects_before,
           count(*) FILTER (counted = 'rejects') AS rejects
    FROM ({counts}) GROUP BY site
)
ORDER BY abs(pages - pages_before) + abs(rejects - rejects_before) DESC,
         pages + rejects DESC, site
LIMIT {limit}
"""


@dataclass(frozen=True, slots=True)
class SiteFigure:
    """Pages and rejected records of a site, before and now; "" stands for those without URL."""

    site: str
    pages_before: int
    pages: int
    rejects_before: int
    rejects: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """Changes since the previous build, and its pages by language, by kind and by confidence of the
    main text.
    """

    changes: BuildChanges
    languages: Mapping[str, int]
    kinds: Mapping[str, int]
    confidences: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class OpenBuild:
    """A build with its manifest, which may not be written yet."""

    build: BuildDir
    manifest: Manifest


def compare(scratch: Path, before: OpenBuild, after: OpenBuild) -> Comparison:
    """Raises OptionError or duckdb.Error when the previous build cannot be compared."""
    with bounded_database(scratch) as database:
        changes = build_changes(
            database, scratch, (before.build, before.manifest), (after.build, after.manifest)
        )
    with bounded_database(scratch) as database:
        pages = BuildViews(database, scratch, "read", before.build).add(
            PAGES_TABLE, range(before.manifest.shards)
        )
        return Comparison(
            changes,
            pages_by_language(database, pages),
            pages_by_kind(database, pages),
            confidences(database, pages),
        )


def site_figures(scratch: Path, before: OpenBuild | None, after: OpenBuild) -> list[SiteFigure]:
    """The sites that changed most; for a first build, the largest."""
    with bounded_database(scratch) as database:
        add_site_macro(database)
        counts = list(_counts(database, scratch, "now", after, ("pages", "rejects")))
        if before:
            counts += _counts(database, scratch, "was", before, ("pages_before", "rejects_before"))
        sql = _SITES.format(counts=" UNION ALL ".join(counts), limit=_MAX_SITES)
        return [SiteFigure(*row) for row in database.execute(sql).fetchall()]


def _counts(
    database: duckdb.DuckDBPyConnection,
    scratch: Path,
    name: str,
    opened: OpenBuild,
    counted: tuple[str, str],
) -> Iterator[str]:
    """Queries for the URL of each page and rejected record, with the column it counts in."""
    views = BuildViews(database, scratch, name, opened.build)
    for table, column in zip((PAGES_TABLE, CLEAN_REJECTS_TABLE), counted, strict=True):
        view = views.add(table, range(opened.manifest.shards))
        yield f"SELECT url, '{column}' AS counted FROM {view}"
