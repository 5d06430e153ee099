"""Runs one SELECT over the views of a build, within limits of time, memory and rows.

DuckDB cannot make folders read-only: COPY can write wherever `allowed_directories` lets it read,
also within EXPLAIN ANALYZE. So DuckDB's own parser judges the statement before it runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Timer
from typing import Any

import duckdb

from factmill.runtime.views import connect
from factmill.schemas.errors import OptionError
from factmill.schemas.layout import BuildDir

_ROWS_A_FETCH = 10_000
_SELECT, _EXPLAIN = duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN


@dataclass(frozen=True, slots=True)
class QueryLimits:
    """Limits of a query. The memory is DuckDB's own, in gigabytes; nothing is spilled to disk.
    `rows` bounds the result.
    """

    seconds: float = 600.0
    memory_gb: float = 4.0
    rows: int = 1_000_000


DEFAULT_LIMITS = QueryLimits()


def query(
    build: BuildDir, sql: str, limits: QueryLimits = DEFAULT_LIMITS
) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Column names and rows of a query over the views. Raises OptionError for invalid SQL, for
    anything but one SELECT or its EXPLAIN, and for a query that exceeds the limits.
    """
    try:
        sql.encode()
    except UnicodeEncodeError:
        raise OptionError("--sql: not Unicode text") from None
    try:
        with connect(build, limits.memory_gb) as connection:
            if not is_select(connection, sql):
                raise OptionError("--sql: one SELECT statement is expected, or EXPLAIN of one")
            with _interrupted_after(connection, limits.seconds):
                return _fetched(connection.execute(sql), limits.rows)
    except duckdb.InterruptException:
        raise OptionError(f"--sql: not done after {limits.seconds:g} seconds") from None
    except duckdb.OutOfMemoryException:
        raise OptionError(f"--sql: needs more than {limits.memory_gb:g} GB of memory") from None
    except duckdb.Error as error:
        raise OptionError(f"--sql: {' '.join(str(error).split())}") from None


def _fetched(
    result: duckdb.DuckDBPyConnection, most: int
) -> tuple[list[str], list[tuple[Any, ...]]]:
    columns = [column[0] for column in result.description or ()]
    rows: list[tuple[Any, ...]] = []
    while fetched := result.fetchmany(_ROWS_A_FETCH):
        rows += fetched
        if len(rows) > most:
            raise OptionError(f"--sql: more than {most:,} rows; add a LIMIT")
    return columns, rows


def is_select(connection: duckdb.DuckDBPyConnection, sql: str) -> bool:
    """Whether this is one reading statement: SELECT, its equivalents in DuckDB (FROM, VALUES,
    DESCRIBE, SUMMARIZE, SHOW), or EXPLAIN of one. Raises duckdb.Error when it cannot be parsed.
    """
    types = [statement.type for statement in connection.extract_statements(sql)]
    if types == [_EXPLAIN]:
        return any(_is_plain_select(connection, rest) for rest in _explained(sql))
    return types == [_SELECT]


def _is_plain_select(connection: duckdb.DuckDBPyConnection, sql: str) -> bool:
    try:
        return [statement.type for statement in connection.extract_statements(sql)] == [_SELECT]
    except duckdb.Error:
        return False


def _explained(sql: str) -> Iterator[str]:
    """What may be the statement in `EXPLAIN [ANALYZE | (options)] statement`."""
    text = sql.encode()
    tokens = duckdb.tokenize(sql)  # starts count bytes
    ends = [start for start, _ in tokens[1:]] + [len(text)]
    words = [
        (text[start:end].decode().strip().lower(), text[end:].decode())
        for (start, kind), end in zip(tokens, ends, strict=True)
        if kind != duckdb.token_type.comment
    ]
    (_, after_explain), (second, after_second), *_ = words
    yield after_explain
    if second in ("analyze", "analyse"):
        yield after_second
    elif second == "(":
        yield next((rest for word, rest in words if word == ")"), "")


@contextmanager
def _interrupted_after(connection: duckdb.DuckDBPyConnection, seconds: float) -> Iterator[None]:
    timer = Timer(seconds, connection.interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
