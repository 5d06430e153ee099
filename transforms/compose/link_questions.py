"""Groups related questions: those about one entity, and those of which one answers for the other.

    questions and titles of all shards -> groups of questions, by shard

A name means the same entity within one page, and on all pages if it is the title of one and nothing
suggests otherwise (`_AMBIGUOUS`). This needs all shards at once, so it runs in DuckDB, which spills
to disk.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq

from factmill.schemas.layout import BuildDir, shard_name
from factmill.schemas.storage.atomic import whole_file
from factmill.schemas.storage.paths import StoragePath
from factmill.transforms.tasks.scratch_database import register_files, scratch_database

# Limits: questions considered for one name; questions that a name answers, and questions about it,
# that are chained. Always the first by id, which is a content hash: the same on every machine,
# whatever other pages there are.
MAX_OF_NAME, MAX_BEFORE, MAX_BEHIND = 16, 6, 4

QUESTIONS = pa.schema(
    [
        ("unit_id", pa.string()),
        ("page_id", pa.string()),
        ("shard", pa.int32()),
        ("question", pa.string()),
        ("answer", pa.string()),
        ("start", pa.int32()),
        ("end", pa.int32()),
        ("key", pa.string()),
        ("titled", pa.bool_()),
        ("predicate", pa.string()),
        ("bridge", pa.string()),
        ("follows", pa.bool_()),
    ]
)
TITLES = pa.schema([("page_id", pa.string()), ("key", pa.string()), ("shared", pa.bool_())])

# A title with a parenthesis has namesakes, and so has one with two dates for one event.
_AMBIGUOUS = """
CREATE TABLE ambiguous AS
SELECT key FROM title GROUP BY key HAVING bool_or(shared)
UNION
SELECT key FROM atomic WHERE titled AND predicate LIKE 'when|%'
GROUP BY key, predicate
HAVING count(DISTINCT coalesce(nullif(regexp_extract(answer, '[12]\\d{3}'), ''), answer)) > 1;
"""
# A single word is a name only on a page about it: one-word titles are too ambiguous to mean the
# same on two pages.
_FACTS = """
CREATE TABLE fact AS
SELECT *, if(sure AND contains(key, ' '), 'name ' || key, page_id || ' ' || key) AS subject
FROM (
    SELECT atomic.*, titled AND ambiguous.key IS NULL AS sure
    FROM atomic LEFT JOIN ambiguous USING (key)
)
WHERE titled OR contains(key, ' ');
"""
_SUBJECTS = f"""
CREATE TABLE member AS
SELECT subject AS name, unit_id FROM fact
QUALIFY row_number() OVER (PARTITION BY subject ORDER BY unit_id) <= {MAX_OF_NAME}
    AND count(*) OVER (PARTITION BY subject) > 1;
"""
_LINKS = f"""
CREATE TABLE link AS
WITH before AS (
    SELECT unit_id, bridge FROM fact WHERE bridge IS NOT NULL
    QUALIFY row_number() OVER (PARTITION BY bridge ORDER BY unit_id) <= {MAX_BEFORE}
), behind AS (
    SELECT unit_id, key FROM fact WHERE follows AND sure AND contains(key, ' ')
    QUALIFY row_number() OVER (PARTITION BY key ORDER BY unit_id) <= {MAX_BEHIND}
), here AS (
    SELECT unit_id, page_id, key FROM fact WHERE follows
    QUALIFY row_number() OVER (PARTITION BY page_id, key ORDER BY unit_id) <= {MAX_BEHIND}
), before_here AS (
    SELECT unit_id, page_id, bridge FROM fact WHERE bridge IS NOT NULL
    QUALIFY row_number() OVER (PARTITION BY page_id, bridge ORDER BY unit_id) <= {MAX_BEFORE}
)
SELECT before.unit_id AS first, behind.unit_id AS second FROM before JOIN behind ON bridge = key
UNION
SELECT a.unit_id, b.unit_id
FROM before_here AS a JOIN here AS b ON a.page_id = b.page_id AND a.bridge = b.key;

CREATE TABLE chain AS
SELECT [first, second] AS units FROM link
UNION ALL
SELECT [a.first, a.second, b.second] FROM link AS a JOIN link AS b ON a.second = b.first;
"""
_GROUPS = """
WITH home AS (
    SELECT DISTINCT name FROM member JOIN fact USING (unit_id) WHERE shard = $shard
), wanted AS (
    SELECT 'compound' AS kind, name, 0 AS position, unit_id FROM member JOIN home USING (name)
    UNION ALL
    SELECT 'chain', name, unnest(range(len(units))), unnest(units) FROM (
        SELECT units, array_to_string(units, ' ') AS name
        FROM chain JOIN fact ON fact.unit_id = units[1] WHERE shard = $shard
    )
)
SELECT kind, name, unit_id, page_id, shard, question, answer, start, "end"
FROM wanted JOIN fact USING (unit_id) ORDER BY kind, name, position, unit_id
"""


@dataclass(frozen=True, slots=True)
class LinkablePair:
    """A QA pair, its subject, and whether it may come first or second in a chain."""

    unit_id: str
    page_id: str
    shard: int
    question: str
    answer: str
    start: int
    end: int
    key: str
    titled: bool
    predicate: str
    bridge: str | None
    follows: bool


@dataclass(frozen=True, slots=True)
class PageName:
    """The name in a page's title."""

    page_id: str
    key: str
    shared: bool


def questions_file(build: BuildDir, name: str, shard: int) -> StoragePath:
    """`name`: questions, titles or groups."""
    return build.work / "composing" / name / shard_name(shard) / "part-000.parquet"


def link_questions(build: BuildDir, shards: int) -> None:
    """Write the groups of every shard: questions about one entity of which one is in the shard, and
    chains that begin in it.
    """
    with scratch_database(build) as (database, scratch):
        for view, name in (("atomic", "questions"), ("title", "titles")):
            files = [questions_file(build, name, shard) for shard in range(shards)]
            register_files(database, view, files, scratch)
        database.execute(_AMBIGUOUS + _FACTS + _SUBJECTS + _LINKS)
        for shard in range(shards):
            with whole_file(questions_file(build, "groups", shard)) as temporary:
                groups = database.sql(_GROUPS, params={"shard": shard})
                pq.write_table(groups.to_arrow_table(), temporary)
