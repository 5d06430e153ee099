"""The report's figures about the pages of one build: languages, sizes, the longest and the
strangest pages, and examples of rejects.

DuckDB counts in bounded memory. Only the columns needed for counting are read for all pages; texts
are read for a sample, and for what is shown.

A page is strange by one of three measures, compared with all pages of the build:

- more of its segments gave no unit than chance explains;
- it has fewer units than is usual for the length of its text;
- many of its characters are symbols or control characters (in a sample of the pages).

The first two are in standard deviations, of a binomial and of a Poisson distribution.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import duckdb

from factmill.schemas.tables import (
    CLEAN_REJECTS_TABLE,
    EXTRACT_REJECTS_TABLE,
    PAGES_TABLE,
    PROPOSITIONS_TABLE,
    QA_PAIRS_TABLE,
    SEGMENTS_TABLE,
)
from factmill.transforms.report.build_views import BuildViews
from factmill.transforms.report.reject_examples import RejectedFor, rejected_for

# Ids are hashes, so the pages with the lowest ids are a sample, the same one every night.
SAMPLED_PAGES = 20_000
DEVIATIONS = 3.0
UNUSUAL_SHARE = 0.02
_LONGEST = 10
_STRANGEST = 5
# One or two segments without a unit are not strange, however rare they are.
_MIN_UNREAD = 3
_MIN_TEXT_CHARACTERS = 200
# Below this confidence the main text is doubtful: on such pages half of the words are wrong.
UNSURE = 0.5
# A class of RE2: neither letters, marks, numbers, punctuation, signs of money or mathematics, nor
# white space.
_UNUSUAL = r"[^\p{L}\p{M}\p{N}\p{P}\p{Sc}\p{Sm}\s`^°]"

_PAGE_FIGURES = """
CREATE TABLE page_figure AS
SELECT page_id, coalesce(segments, 0) AS segments, coalesce(characters, 0) AS characters,
       coalesce(units, 0) AS units, coalesce(unread, 0) AS unread
FROM (SELECT page_id FROM {pages})
LEFT JOIN (
    SELECT page_id, count(*) AS segments, max("end") AS characters
    FROM {segments} GROUP BY page_id
) USING (page_id)
LEFT JOIN (
    SELECT page_id, count(*) AS units
    FROM (SELECT page_id FROM {propositions} UNION ALL SELECT page_id FROM {pairs})
    GROUP BY page_id
) USING (page_id)
LEFT JOIN (
    SELECT page_id, count(*) AS unread FROM {unread} WHERE stage = 'extract' GROUP BY page_id
) USING (page_id)
"""
_HISTOGRAM = """
SELECT if(units = 0, 0, 2 ** floor(log2(units)))::BIGINT AS low, count(*)
FROM page_figure GROUP BY low ORDER BY low
"""
_LONGEST_PAGES = """
SELECT page_id, 0.0, 0.0 FROM page_figure ORDER BY characters DESC, page_id LIMIT {limit}
"""
# Rows: page, deviation, usual value.
_UNREAD_PAGES = """
SELECT page_id, (unread - segments * share) / sqrt(segments * share * (1 - share)) AS deviation,
       segments * share AS usual
FROM page_figure, (SELECT sum(unread) / nullif(sum(segments), 0) AS share FROM page_figure)
WHERE share > 0 AND share < 1 AND unread >= {fewest} AND deviation >= {least}
ORDER BY deviation DESC, page_id LIMIT {limit}
"""
_BARREN_PAGES = """
SELECT page_id, (characters * rate - units) / sqrt(characters * rate) AS deviation,
       characters * rate AS usual
FROM page_figure, (SELECT sum(units) / nullif(sum(characters), 0) AS rate FROM page_figure)
WHERE rate > 0 AND characters > 0 AND deviation >= {least}
ORDER BY deviation DESC, page_id LIMIT {limit}
"""
_UNUSUAL_PAGES = """
SELECT page_id, 1 - length(regexp_replace(text, '{unusual}', '', 'g')) / length(text) AS share, 0.0
FROM {pages}
WHERE page_id < '{below}' AND length(text) >= {shortest} AND share >= {least}
ORDER BY share DESC, page_id LIMIT {limit}
"""
_UNSURE_PAGES = """
SELECT page_id, text_confidence, 0.0 FROM {pages} WHERE text_confidence < {below}
ORDER BY text_confidence, page_id LIMIT {limit}
"""
_CONFIDENCE = f"""
CASE WHEN text_confidence < {UNSURE} THEN 'below {UNSURE}'
     WHEN text_confidence < 0.8 THEN '{UNSURE} to 0.8'
     WHEN text_confidence >= 0.8 THEN '0.8 and more' END
"""
_SHOWN_PAGES = """
SELECT page_id, title, if(url = '', source_id, url), characters, segments, units, unread
FROM {pages} JOIN page_figure USING (page_id) WHERE page_id IN ({marks})
"""


@dataclass(frozen=True, slots=True)
class PageFigure:
    """A page and its numbers; `why` says what is strange about it. Characters are those of its
    text, without tables; `unread` are segments without a unit.
    """

    page_id: str
    title: str
    source: str
    characters: int
    segments: int
    units: int
    unread: int
    why: str = ""


@dataclass(frozen=True, slots=True)
class BuildFigures:
    """`units_per_page` is a histogram with bins that double: from n to less than 2n units."""

    languages: dict[str, int]
    kinds: dict[str, int]
    confidences: dict[str, int]
    units_per_page: tuple[tuple[int, int], ...]
    longest: tuple[PageFigure, ...]
    strangest: tuple[PageFigure, ...]
    rejected: tuple[RejectedFor, ...]
    pages_sampled: int


def pages_by_language(database: duckdb.DuckDBPyConnection, pages: str) -> dict[str, int]:
    """Pages by language, most frequent first; "" for unknown."""
    return _pages_by(database, pages, "lang")


def pages_by_kind(database: duckdb.DuckDBPyConnection, pages: str) -> dict[str, int]:
    """Pages by kind, most frequent first; "" for those without one."""
    return _pages_by(database, pages, "kind")


def confidences(database: duckdb.DuckDBPyConnection, pages: str) -> dict[str, int]:
    """Pages by the confidence of their main text; "" for those without one."""
    return _pages_by(database, pages, _CONFIDENCE)


def _pages_by(database: duckdb.DuckDBPyConnection, pages: str, value: str) -> dict[str, int]:
    rows = database.execute(
        f"SELECT coalesce({value}, '') AS value, count(*) AS number FROM {pages}"
        " GROUP BY value ORDER BY number DESC, value"
    )
    return dict(rows.fetchall())


def build_figures(views: BuildViews, shards: int) -> BuildFigures:
    """The figures of a build in an empty database."""
    everything = range(shards)
    names = {
        "pages": views.add(PAGES_TABLE, everything),
        "segments": views.add(SEGMENTS_TABLE, everything),
        "propositions": views.add(PROPOSITIONS_TABLE, everything),
        "pairs": views.add(QA_PAIRS_TABLE, everything),
        "clean": views.add(CLEAN_REJECTS_TABLE, everything),
        "unread": views.add(EXTRACT_REJECTS_TABLE, everything),
    }
    database = views.database
    database.execute(_PAGE_FIGURES.format(**names))
    (pages,) = database.execute("SELECT count(*) FROM page_figure").fetchall()[0]
    return BuildFigures(
        pages_by_language(database, names["pages"]),
        pages_by_kind(database, names["pages"]),
        confidences(database, names["pages"]),
        tuple(database.execute(_HISTOGRAM).fetchall()),
        tuple(_pages(database, names, _rows(database, _LONGEST_PAGES, limit=_LONGEST))),
        tuple(_strangest(database, names, pages)),
        tuple(rejected_for(database, names["clean"], names["unread"], names["segments"])),
        min(pages, SAMPLED_PAGES),
    )


def _strangest(
    database: duckdb.DuckDBPyConnection, names: dict[str, str], pages: int
) -> Iterator[PageFigure]:
    """The strangest pages by each measure; a page may appear for several."""
    limits = {"limit": _STRANGEST, "least": DEVIATIONS}
    unread = _rows(database, _UNREAD_PAGES, fewest=_MIN_UNREAD, **limits)
    yield from _pages(
        database,
        names,
        unread,
        "{unread:,} of {segments:,} segments gave no unit; {usual:,.1f} are usual",
    )
    barren = _rows(database, _BARREN_PAGES, **limits)
    yield from _pages(
        database,
        names,
        barren,
        "{units:,} units in {characters:,} characters; {usual:,.1f} are usual",
    )
    unusual = _rows(
        database, _UNUSUAL_PAGES, pages=names["pages"], unusual=_UNUSUAL, below=_sample_end(pages),
        shortest=_MIN_TEXT_CHARACTERS, least=UNUSUAL_SHARE, limit=_STRANGEST,
    )  # fmt: skip
    yield from _pages(
        database,
        names,
        unusual,
        "{measure:.0%} of its characters are symbols or control characters",
    )
    unsure = _rows(database, _UNSURE_PAGES, pages=names["pages"], below=UNSURE, limit=_STRANGEST)
    why = "its main text is unsure: a confidence of {measure:.2f}"
    yield from _pages(database, names, unsure, why)


def _sample_end(pages: int) -> str:
    """The id below which about `SAMPLED_PAGES` pages lie."""
    if pages <= SAMPLED_PAGES:
        return "g"
    return f"{int(2**32 * SAMPLED_PAGES / pages):08x}"


def _rows(
    database: duckdb.DuckDBPyConnection, sql: str, **values: object
) -> list[tuple[str, float, float]]:
    """Page id, measure and usual value."""
    return database.execute(sql.format(**values)).fetchall()


def _pages(
    database: duckdb.DuckDBPyConnection,
    names: dict[str, str],
    rows: Sequence[tuple[str, float, float]],
    why: str = "",
) -> Iterator[PageFigure]:
    """The pages of these rows, in their order."""
    if not rows:
        return
    marks = ", ".join("?" * len(rows))
    sql = _SHOWN_PAGES.format(pages=names["pages"], marks=marks)
    found = {row[0]: row for row in database.execute(sql, [row[0] for row in rows]).fetchall()}
    for page_id, measure, usual in rows:
        page = PageFigure(*found[page_id])
        numbers = {
            "characters": page.characters, "segments": page.segments, "units": page.units,
            "unread": page.unread, "measure": measure, "usual": usual,
        }  # fmt: skip
        yield replace(page, why=why.format(**numbers))
