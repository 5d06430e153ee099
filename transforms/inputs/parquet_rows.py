"""Parquet rows as raw pages, with the same columns as a JSON record.

    page headers -> how many rows to decode at a time -> batches of these rows -> pages

Memory is bounded by the decoded size of rows, whatever the file claims. A row group whose pages
alone are too large is a reject, and the next one is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from factmill.schemas.parquet_footers import check_footer, rows_of_groups
from factmill.schemas.parquet_pages import DecodedSizes, row_group_sizes
from factmill.schemas.records import Reject
from factmill.schemas.storage.local_storage import open_regular
from factmill.transforms.inputs.json_records import page_of
from factmill.transforms.inputs.raw_page import RawPage, unreadable

_TEXT_TYPES = (
    pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view,
    pa.types.is_binary, pa.types.is_large_binary, pa.types.is_binary_view,
    pa.types.is_fixed_size_binary,
)  # fmt: skip
# Rows to decode at a time, fewer if they are large.
_MAX_ROWS, _BATCH_BYTES = 64, 16_000_000
# The same if every row may have the longest value, which is in the file once.
_MAX_SHARED_BYTES = 64_000_000
# Decoded bytes of a column at a time: enough for one batch of long rows.
_MAX_COLUMN_BYTES = 256_000_000
# Bytes of the pages in memory together, one of each column. Some writers check sizes rarely, which
# makes pages as large as a thousand rows.
_MAX_HELD_BYTES = 1_000_000_000
_IDS = ("id", "source_id")
_WANTED = (*_IDS, "url", "title", "html", "text", "fetched_at")
# Python's calendar in seconds since 1970, without its first and last second.
_CALENDAR = [
    int(end.replace(tzinfo=timezone.utc).timestamp()) for end in (datetime.min, datetime.max)
]
_TICKS = {"s": 1, "ms": 1000, "us": 1_000_000, "ns": 1_000_000_000}


class _TooLarge(NamedTuple):
    """Rows of a group that is not read, from `start` on."""

    start: int
    detail: str


def read_parquet(path: Path, name: str, start: int, stop: int) -> Iterator[RawPage | Reject]:
    """The pages of rows [start, stop) of a Parquet file with the columns of a record."""
    row = start
    try:
        with open_regular(path) as opened:  # Arrow would wait for a pipe
            check_footer(opened)
        with pq.ParquetFile(path) as file:
            columns = _readable_columns(file.schema_arrow)
            if not {"html", "text"}.intersection(columns):
                if start == 0:
                    yield unreadable(name, "bad_record", "no column html or text that holds text")
                return
            for found in _row_range(path, file, columns, start, stop):
                if isinstance(found, _TooLarge):
                    yield unreadable(f"{name}:{found.start}", "too_large", found.detail)
                    continue
                offset, raw_batch = found
                for ordinal, record in enumerate(_records(_for_python(raw_batch))):
                    row = offset + ordinal
                    if isinstance(record, UnicodeDecodeError):
                        yield unreadable(f"{name}:{row}", "bad_record", record)
                    else:
                        yield page_of(record, f"{name}:{row}")
    except (OSError, ValueError, OverflowError, pa.ArrowException) as error:
        yield unreadable(name, "broken_file", f"after row {row}: {error}")


def _records(batch: pa.RecordBatch) -> list[dict[str, Any] | UnicodeDecodeError]:
    """The rows of a batch; for a row with a string that is not UTF-8, the error."""
    try:
        return list(batch.to_pylist())
    except UnicodeDecodeError as error:
        if batch.num_rows == 1:
            return [error]
        return [_records(batch.slice(row, 1))[0] for row in range(batch.num_rows)]


def _readable_columns(schema: pa.Schema) -> list[str]:
    """The requested columns of a type that is of use: text, other values of ids unless they are
    nested, and timestamps and dates.
    """
    columns = []
    for name in _WANTED:
        if len(columns_of_name := schema.get_all_field_indices(name)) != 1:
            continue
        kind = schema.field(columns_of_name[0]).type
        kind = kind.value_type if pa.types.is_dictionary(kind) else kind
        is_text = any(check(kind) for check in _TEXT_TYPES)
        is_id = name in _IDS and not pa.types.is_nested(kind)
        is_time = pa.types.is_timestamp(kind) or pa.types.is_date(kind)
        if is_text or is_id or (name == "fetched_at" and is_time):
            columns.append(name)
    return columns


def _for_python(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The batch with times that Python has, or as text."""
    columns = [_column_for_python(column) for column in batch.columns]
    return pa.RecordBatch.from_arrays(columns, batch.schema.names)


def _column_for_python(column: pa.Array) -> pa.Array:
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if not pa.types.is_temporal(kind):
        return column
    values = column.cast(kind)
    return _datetimes(values) if pa.types.is_timestamp(kind) else values.cast(pa.string())


def _datetimes(times: pa.Array) -> pa.Array:
    """The times as Python has them: without nanoseconds, null outside its calendar, and in UTC if
    they have a zone, which this machine may not know.
    """
    seconds = pc.divide(times.cast(pa.int64()), _TICKS[times.type.unit])
    first, last = _CALENDAR
    in_calendar = pc.and_(pc.greater(seconds, first), pc.less(seconds, last))
    zone = "UTC" if times.type.tz else None
    return pc.if_else(in_calendar, times, None).cast(pa.timestamp("us", zone), safe=False)


def _batch_rows(sizes: Sequence[DecodedSizes], rows: int) -> int:
    """How many of a group's `rows` to decode at a time, so that the decoded size bounds memory."""
    batch = _BATCH_BYTES * rows // max(1, sum(size.total for size in sizes))
    if shared := sum(size.shared for size in sizes):
        batch = min(batch, _MAX_SHARED_BYTES // shared)
    if longest := sum(size.held for size in sizes if size.total > _MAX_COLUMN_BYTES):
        batch = min(batch, _MAX_COLUMN_BYTES // longest)
    return min(_MAX_ROWS, max(1, batch))


def _row_range(
    path: Path, file: pq.ParquetFile, columns: list[str], start: int, stop: int
) -> Iterator[tuple[int, pa.RecordBatch] | _TooLarge]:
    """Batches of the requested rows with the number of their first row, or a range that is too
    large. Other row groups are not read.
    """
    offset = 0
    for group, rows in enumerate(rows_of_groups(file.metadata)):
        metadata = file.metadata.row_group(group)
        first, offset = offset, offset + rows
        if first >= stop or offset <= start:
            continue
        sizes = row_group_sizes(path, metadata, columns)
        if (held := sum(size.held for size in sizes)) > _MAX_HELD_BYTES:
            low, high = max(start, first), min(stop, offset)
            yield _TooLarge(low, f"{high - low} rows whose pages take {held} bytes at once")
            continue
        position = first
        batch_size = _batch_rows(sizes, rows)
        for batch in file.iter_batches(batch_size, row_groups=[group], columns=columns):
            if position >= stop:
                break
            low, high = max(start, position), min(stop, position + batch.num_rows)
            if low < high:
                yield low, batch.slice(low - position, high - low)
            position += batch.num_rows
