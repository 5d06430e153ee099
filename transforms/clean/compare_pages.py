"""Compares pages: finds old captures, duplicates, and sentences that a site repeats.

    features of all pages (`spool`) -> DuckDB -> for each shard, a small table of verdicts
                                              -> counts of the pages of each split

A verdict says why a spooled page is left out, or which of its sentences are. Texts are not read,
and DuckDB spills to disk, so memory is bounded.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow.parquet as pq

from factmill.schemas.layout import BuildDir, shard_name
from factmill.schemas.manifest import StageCounts
from factmill.schemas.storage.atomic import whole_files
from factmill.schemas.storage.paths import StoragePath
from factmill.transforms.clean.clean_options import CleanOptions
from factmill.transforms.clean.extract_split import end_extraction
from factmill.transforms.clean.near_duplicate_pages import drop_near_duplicates
from factmill.transforms.clean.spool import features_files
from factmill.transforms.tasks.scratch_database import register_files, scratch_database
from factmill.transforms.tasks.shard_files import read_rows

# A sentence on this many pages of a site, and on this share of them, is boilerplate.
REPEATED_PAGES = 5
REPEATED_SHARE = 0.1

# The newest capture of a page stays; undated ones count as the oldest.
_CAPTURES = """
CREATE TABLE capture AS
SELECT split, row, ordinal, shard, page_id, source_id, url, site, content_hash,
       row_number() OVER newest AS age,
       first_value(source_id) OVER newest AS kept,
       first_value(content_hash) OVER newest AS kept_hash
FROM page_features
WINDOW newest AS (PARTITION BY page_id ORDER BY fetched_at DESC NULLS LAST, split, ordinal);

INSERT INTO verdict
SELECT split, row, shard, if(content_hash = kept_hash, 'duplicate', 'superseded'), 'kept ' || kept,
       page_id
FROM capture WHERE age > 1;
"""
# Of pages with equal content, the one with the shortest URL stays: variants of a URL are longer,
# and the choice is the same every night.
_EXACT = """
CREATE TABLE page AS
SELECT split, row, shard, page_id, site, content_hash,
       if(url = '', source_id, url) AS name,
       row_number() OVER (ORDER BY url = '', length(url), url, split, ordinal) AS rank
FROM capture WHERE age = 1;

CREATE TABLE same AS
SELECT split, row, shard, page_id, rank, first_value(name) OVER first AS kept,
       first_value(page_id) OVER first AS kept_page_id
FROM page
WINDOW first AS (PARTITION BY content_hash ORDER BY rank)
QUALIFY row_number() OVER first > 1;

UPDATE verdict SET kept_page_id = same.kept_page_id FROM same
WHERE verdict.kept_page_id = same.page_id;
INSERT INTO verdict
SELECT split, row, shard, 'duplicate', 'same content as ' || kept, kept_page_id FROM same;
DELETE FROM page USING same WHERE page.rank = same.rank;
"""
_SITES = f"""
CREATE TABLE sentence AS
SELECT page.split, page.row, page.shard, site, unnest(repeats) AS key,
       generate_subscripts(repeats, 1) - 1 AS position
FROM page JOIN page_features USING (split, row, site) WHERE site <> '';

CREATE TABLE repeated AS
SELECT site, key
FROM (SELECT site, key, count(DISTINCT (split, row)) AS pages FROM sentence
      WHERE key <> 0 GROUP BY site, key)
JOIN (SELECT site, count(*) AS site_pages FROM page GROUP BY site) USING (site)
WHERE pages >= greatest({REPEATED_PAGES}, {REPEATED_SHARE} * site_pages);

CREATE TABLE left_out AS
SELECT split, row, shard, list(position ORDER BY position) AS sentences
FROM sentence JOIN repeated USING (site, key) GROUP BY split, row, shard;
"""
_VERDICTS = """
SELECT split, row, reason, detail, kept_page_id, CAST(NULL AS INTEGER[]) AS sentences
FROM verdict WHERE shard = $shard
UNION ALL
SELECT split, row, NULL, NULL, NULL, CAST(sentences AS INTEGER[]) FROM left_out WHERE shard = $shard
ORDER BY split, row
"""
# A page counts once per split, however many captures of it the split has.
_SPLITS = """
WITH captured AS (
    SELECT page_id, split, bool_or(verdict.row IS NULL) AS kept
    FROM page_features LEFT JOIN verdict USING (split, row) GROUP BY page_id, split
), counted AS (SELECT split, kept, count(*) OVER (PARTITION BY page_id) AS splits FROM captured)
SELECT split, count(*) AS read, count(*) FILTER (WHERE kept) AS kept,
       count(*) FILTER (WHERE kept AND splits = 1) AS alone
FROM counted GROUP BY split ORDER BY split
"""


@dataclass(frozen=True, slots=True)
class PageVerdict:
    """The outcome for a spooled page. With a `reason`, it is rejected, and `kept_page_id` is the
    page that stays instead. Without one, it stays, without the sentences at these positions.
    """

    reason: str | None
    detail: str | None
    sentences: frozenset[int]
    kept_page_id: str | None = None


def _verdicts_file(build: BuildDir, shard: int) -> StoragePath:
    return build.work / "compared" / shard_name(shard) / "part-000.parquet"


def split_pages_file(build: BuildDir) -> StoragePath:
    """The file with the pages of each split: how many were `read`, how many of these were `kept`
    because no other capture replaced them, and how many of those are in no other split (`alone`).
    """
    return build.work / "compared" / "splits.parquet"


def verdicts(build: BuildDir, shard: int) -> dict[tuple[int, int], PageVerdict]:
    """The verdicts on the shard's pages, by split and row. A page without one stays unchanged."""
    by_row = {}
    for row in read_rows(_verdicts_file(build, shard)):
        verdict = PageVerdict(
            row["reason"],
            row["detail"],
            frozenset(row["sentences"] or ()),
            row["kept_page_id"],
        )
        by_row[row["split"], row["row"]] = verdict
    return by_row


def compare_pages(build: BuildDir, shards: int, threshold: float | None) -> None:
    """Write the verdicts of every shard. Pages with a similarity of at least `threshold` (estimated
    Jaccard of their word shingles) count as duplicates; with None, only equal pages do.
    """
    with scratch_database(build) as (database, scratch):
        files = [path for _, path in features_files(build)]
        register_files(database, "page_features", files, scratch)
        database.execute(
            "CREATE TABLE verdict"
            " (split INT, row INT, shard INT, reason TEXT, detail TEXT, kept_page_id TEXT)"
        )
        database.execute(_CAPTURES + _EXACT)
        if threshold is not None:
            drop_near_duplicates(database, build, scratch, threshold)
        database.execute(_SITES)
        with whole_files() as open_file:
            pq.write_table(
                database.sql(_SPLITS).to_arrow_table(), open_file(split_pages_file(build))
            )
            for shard in range(shards):
                table = database.sql(_VERDICTS, params={"shard": shard}).to_arrow_table()
                pq.write_table(table, open_file(_verdicts_file(build, shard)))


@dataclass(frozen=True, slots=True)
class ComparePages:
    """The work of one task: compare the pages of all splits."""

    build: BuildDir
    shards: int
    options: CleanOptions

    def __call__(self, _task: int) -> StageCounts:
        end_extraction()
        compare_pages(self.build, self.shards, self.options.near_duplicates)
        return StageCounts()
