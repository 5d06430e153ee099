"""Captures as extracted, stored in a build for reuse by the next one.

    12_captures/shard=007/captures.arrow    every capture of the shard, sorted by page id

`fingerprint` identifies the input and the method of the extraction (`reusable_captures`). The
comparison with other captures is not part of it; `left_out` records its outcome in the build that
holds the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from factmill.models.text.near_duplicates import PERMUTATIONS, band_keys
from factmill.models.text.span import Span
from factmill.schemas.arrow_files import packed_fault
from factmill.schemas.errors import CorruptStore
from factmill.schemas.fields import list_of, required
from factmill.schemas.layout import CAPTURES, BuildDir, shard_name
from factmill.schemas.records import Page, Reject
from factmill.schemas.storage.atomic import whole_file
from factmill.schemas.storage.paths import StoragePath, local_copy
from factmill.schemas.tables import PAGES
from factmill.transforms.clean.extract_page import ExtractedPage
from factmill.transforms.markup.posts.post import Post
from factmill.transforms.tasks.reused_files import intact, link_equal

FILE = "captures.arrow"
# Uncompressed: captures are looked up one by one, in any order.
ROWS_PER_BATCH = 256


# `start` and `end` count sentences.
_POST = pa.struct(
    [
        required("number", pa.int32()),
        pa.field("author", pa.string()),
        pa.field("published", pa.timestamp("us", tz="UTC")),
        required("start", pa.int32()),
        required("end", pa.int32()),
    ]
)
# `input_url` is the input's own, "" if none; `url` may be the one that the page declares. With a
# `reason`, the capture is a reject, and only the fingerprint and the detail are meaningful.
CAPTURE_SCHEMA = pa.schema(
    [
        required("fingerprint", pa.string()),
        pa.field("reason", pa.string()),
        pa.field("detail", pa.string()),
        required("input_url", pa.string()),
        *PAGES,
        required("tables", list_of(pa.string())),
        required("data", list_of(pa.string())),
        required("headings", list_of(pa.string())),
        required("posts", list_of(_POST)),
        required("sentences", list_of(pa.int32())),  # start, end, start, end ...
        required("repeats", list_of(pa.uint64())),
        required("signature", pa.binary()),
    ]
)
# Defaults for columns that captures of older builds lack.
_ABSENT = {
    "kind": "", "kind_confidence": None, "author": "", "published": None, "text_confidence": None,
    "data": (), "posts": (),
}  # fmt: skip
# `left_out`: the sentences removed from the page; null when the capture became no page.
STORED_SCHEMA = CAPTURE_SCHEMA.append(pa.field("left_out", list_of(pa.int32())))


def capture_row(extracted: ExtractedPage, fingerprint: str, input_url: str) -> dict[str, Any]:
    """The row of a capture that is a page."""
    page = extracted.page
    return {name: getattr(page, name) for name in PAGES.names} | {
        "fingerprint": fingerprint,
        "reason": None,
        "detail": None,
        "input_url": input_url,
        "tables": extracted.tables,
        "data": extracted.data,
        "headings": extracted.headings,
        "posts": [asdict(post) for post in extracted.posts],
        "sentences": [position for span in extracted.sentences for position in span],
        "repeats": extracted.repeats,
        "signature": extracted.signature,
    }


def reject_row(reject: Reject, fingerprint: str) -> dict[str, Any]:
    """The row of a capture that is a reject."""
    return dict.fromkeys(PAGES.names, "") | {
        "fingerprint": fingerprint, "reason": reject.reason, "detail": reject.detail,
        "input_url": "", "fetched_at": None, "kind_confidence": None, "published": None,
        "text_confidence": None, "tables": (), "data": (), "headings": (), "posts": (),
        "sentences": (), "repeats": (), "signature": b"",
    }  # fmt: skip


def extracted_page(row: dict[str, Any]) -> ExtractedPage:
    """The extracted page of a row."""
    signature = row["signature"]
    return ExtractedPage(
        Page(**{name: row[name] for name in PAGES.names}),
        tuple(row["tables"]),
        tuple(row["data"]),
        tuple(row["headings"]),
        row_posts(row),
        tuple(stored_spans(row)),
        tuple(row["repeats"]),
        signature,
        tuple(band_keys(signature)),
    )


def row_posts(row: dict[str, Any]) -> tuple[Post, ...]:
    """The posts of a row, by sentences."""
    return tuple(Post(**post) for post in row["posts"])


def stored_spans(row: dict[str, Any]) -> list[Span]:
    """The spans of the sentences of a row, stored as start, end, start, end ..."""
    flat = row["sentences"]
    return list(zip(flat[::2], flat[1::2], strict=True))


def captures_file(build: BuildDir, shard: int) -> StoragePath:
    return build.shard(CAPTURES, shard) / FILE


class CaptureWriter:
    """Writes the captures of a shard to a file."""

    def __init__(self, path: Path) -> None:
        self._file = pa.ipc.new_file(str(path), STORED_SCHEMA)
        self._rows: list[dict[str, Any]] = []

    def add(self, row: dict[str, Any]) -> None:
        self._rows.append(row)
        if len(self._rows) == ROWS_PER_BATCH:
            self._flush()

    def close(self) -> None:
        self._flush()
        self._file.close()

    def _flush(self) -> None:
        self._file.write_table(pa.Table.from_pylist(self._rows, schema=STORED_SCHEMA))
        self._rows = []


@contextmanager
def capture_writer(build: BuildDir, shard: int, parent: BuildDir | None) -> Iterator[CaptureWriter]:
    """A writer for the captures of a shard. The file appears only on success, and is linked to the
    parent's if equal.
    """
    path = captures_file(build, shard)
    with whole_file(path) as temporary:
        writer = CaptureWriter(temporary)
        try:
            yield writer
        finally:
            writer.close()
    link_equal(build, parent, [path])


def intact_captures(parent: BuildDir | None, shard: int) -> StoragePath | None:
    """The file with the captures of a shard in the parent build, if it is intact."""
    return intact(parent, f"{CAPTURES}/{shard_name(shard)}/{FILE}")


def stored_rows(
    parent: BuildDir | None, shard: int, columns: tuple[str, ...] = ()
) -> Iterator[dict[str, Any]]:
    """The captures of a shard in the parent build; none when the file is missing or damaged."""
    path = intact_captures(parent, shard)
    if path is None:
        return
    wanted = columns or STORED_SCHEMA.names
    with captures_reader(path) as file:
        stored = file.schema
    fields = [stored.get_field_index(name) for name in wanted if name in stored.names]
    absent = {name: _ABSENT[name] for name in wanted if name not in stored.names}
    with captures_reader(path, fields) as file:
        for number in range(file.num_record_batches):
            for row in sound_batch(path, file, number).to_pylist():
                yield row | absent


def captures_reader(
    path: StoragePath, fields: Sequence[int] | None = None
) -> pa.ipc.RecordBatchFileReader:
    """A file of captures, mapped. Its manifest may be forged as well, so it is not trusted: raises
    CorruptStore for a file with packed batches or columns of other types. `fields` are the
    positions of the columns to read.
    """
    options = pa.ipc.IpcReadOptions(included_fields=fields)
    stream = pa.memory_map(str(local_copy(path)))
    try:
        file = pa.ipc.open_file(stream, options=options)
    except (OSError, pa.ArrowException) as error:
        raise CorruptStore(f"{path}: {error}") from None
    if fault := packed_fault(stream.read_buffer(stream.size())):
        raise CorruptStore(f"{path}: {fault}")
    lacking = set(STORED_SCHEMA.names) - set(file.schema.names) - set(_ABSENT)
    if lacking and fields is None:
        raise CorruptStore(f"{path}: it has no column {min(lacking)}")
    for field in file.schema:
        if field.name in STORED_SCHEMA.names and field != STORED_SCHEMA.field(field.name):
            raise CorruptStore(f"{path}: its column {field.name} holds {field.type}")
    return file


def sound_batch(
    path: StoragePath, file: pa.ipc.RecordBatchFileReader, number: int
) -> pa.RecordBatch:
    """A batch of captures. Raises CorruptStore when a value lies outside of its column: reading it
    would end the process. The same holds for one that is missing, and for a sentence without end.
    """
    try:
        batch = file.get_batch(number)
        batch.validate(full=True)
    except (OSError, pa.ArrowException) as error:
        raise CorruptStore(f"{path}: {error}") from None
    for field, column in zip(batch.schema, batch.columns, strict=True):
        if column.null_count and not field.nullable:
            raise CorruptStore(f"{path}: a row without {field.name}")
        if field.name == "sentences" and np.any(column.value_lengths().to_numpy() % 2):
            raise CorruptStore(f"{path}: a sentence without its end")
        if field.name == "signature":
            sizes = pc.binary_length(column).to_numpy()
            if np.any((sizes % 4 > 0) | ((sizes > 0) & (sizes < 4 * PERMUTATIONS))):
                raise CorruptStore(f"{path}: half a signature")
    return batch
