"""Captures as they were extracted, kept in a build so that the next one takes them over.

    12_captures/shard=007/captures.arrow    every capture of the shard, in the order of page ids

A capture is known by a fingerprint over all that extracting it depends on: the record, the options,
the code and the libraries. What comes of comparing it with others is not part of that; `left_out`
says what came of it in the build that the file is in.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from factmill.models.text.near_duplicates import band_keys
from factmill.schemas.fields import list_of, required
from factmill.schemas.fingerprint import code_fingerprint
from factmill.schemas.ids import page_id
from factmill.schemas.layout import CAPTURES, BuildDir, shard_name
from factmill.schemas.libraries import CAPTURE as CAPTURED_BY
from factmill.schemas.libraries import library_versions
from factmill.schemas.records import Page, Reject
from factmill.schemas.storage.paths import StoragePath, local_copy
from factmill.schemas.tables import PAGES
from factmill.transforms.clean.extract_page import ExtractedPage
from factmill.transforms.inputs.raw_page import RawPage, unreadable
from factmill.transforms.tasks.reused_files import intact

FILE = "captures.arrow"
# What decides the outcome of `extract_page`; a test compares it with what is imported.
EXTRACTION = (
    "transforms/clean/extract_page.py",
    "transforms/markup/decoding.py",
    "transforms/markup/html_tree.py",
    "transforms/inputs/raw_page.py",
    "transforms/markup/main_text",
    "transforms/markup/tables",
    "models/text/language.py",
    "models/text/near_duplicates.py",
    "models/text/sentences.py",
    "schemas/ids.py",
)
# Not compressed: captures are looked up one by one, in any order.
_ROWS_PER_BATCH = 256


# `input_url` is the input's own, "" if none; `url` may be what the page declares. With a `reason`,
# extracting gave a reject, and only the fingerprint and the detail mean something.
CAPTURE = pa.schema(
    [
        required("fingerprint", pa.string()),
        pa.field("reason", pa.string()),
        pa.field("detail", pa.string()),
        required("input_url", pa.string()),
        *PAGES,
        required("tables", list_of(pa.string())),
        required("headings", list_of(pa.string())),
        required("sentences", list_of(pa.int32())),  # start, end, start, end ...
        required("repeats", list_of(pa.uint64())),
        required("signature", pa.binary()),
    ]
)
# `left_out`: the sentences that the page is without; null when the capture became no page.
KEPT = CAPTURE.append(pa.field("left_out", list_of(pa.int32())))


def capture_fingerprint(raw: RawPage, languages: tuple[str, ...]) -> str:
    """32 hexadecimal digits that change with whatever may change what is extracted.

    Who fetched it when, and under which name, is no part of it: a page that was crawled again and
    says the same has the same fingerprint.
    """
    html = raw.html
    code = f"{code_fingerprint(EXTRACTION)} {library_versions(CAPTURED_BY)}"
    kind = type(html).__name__
    said = json.dumps([code, languages, raw.url, raw.title, raw.charset, raw.text, kind])
    digest = hashlib.sha256(said.encode())
    if html is not None:
        digest.update(html if isinstance(html, bytes) else html.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:32]


def capture_row(extracted: ExtractedPage, fingerprint: str, input_url: str) -> dict[str, Any]:
    """The row of a capture that is a page."""
    page = extracted.page
    return {name: getattr(page, name) for name in PAGES.names} | {
        "fingerprint": fingerprint,
        "reason": None,
        "detail": None,
        "input_url": input_url,
        "tables": extracted.tables,
        "headings": extracted.headings,
        "sentences": [position for span in extracted.sentences for position in span],
        "repeats": extracted.repeats,
        "signature": extracted.signature,
    }


def reject_row(reject: Reject, fingerprint: str) -> dict[str, Any]:
    """The row of a capture of which nothing was extracted."""
    return dict.fromkeys(PAGES.names, "") | {
        "fingerprint": fingerprint, "reason": reject.reason, "detail": reject.detail,
        "input_url": "", "fetched_at": None, "tables": (), "headings": (), "sentences": (),
        "repeats": (), "signature": b"",
    }  # fmt: skip


def extracted_page(row: dict[str, Any]) -> ExtractedPage:
    """The capture of a row that is a page, as it was extracted."""
    flat, signature = row["sentences"], row["signature"]
    return ExtractedPage(
        Page(**{name: row[name] for name in PAGES.names}),
        tuple(row["tables"]),
        tuple(row["headings"]),
        tuple(zip(flat[::2], flat[1::2], strict=True)),
        tuple(row["repeats"]),
        signature,
        tuple(band_keys(signature)),
    )


def captures_file(build: BuildDir, shard: int) -> StoragePath:
    return build.shard(CAPTURES, shard) / FILE


class CaptureWriter:
    """Writes the captures of a shard to a file."""

    def __init__(self, path: Path) -> None:
        self._file = pa.ipc.new_file(str(path), KEPT)
        self._rows: list[dict[str, Any]] = []

    def add(self, row: dict[str, Any]) -> None:
        self._rows.append(row)
        if len(self._rows) == _ROWS_PER_BATCH:
            self._flush()

    def close(self) -> None:
        self._flush()
        self._file.close()

    def _flush(self) -> None:
        self._file.write_table(pa.Table.from_pylist(self._rows, schema=KEPT))
        self._rows = []


def known_file(parent: BuildDir | None, shard: int) -> StoragePath | None:
    """The captures of a shard in the parent build, if they are there and whole."""
    return intact(parent, f"{CAPTURES}/{shard_name(shard)}/{FILE}")


def known_rows(
    parent: BuildDir | None, shard: int, columns: tuple[str, ...] = ()
) -> Iterator[dict[str, Any]]:
    """The captures of a shard in the parent build; none when they cannot be had."""
    path = known_file(parent, shard)
    if path is None:
        return
    wanted = [KEPT.get_field_index(name) for name in columns or KEPT.names]
    options = pa.ipc.IpcReadOptions(included_fields=wanted)
    with (
        pa.memory_map(str(local_copy(path))) as stream,
        pa.ipc.open_file(stream, options=options) as file,
    ):
        for number in range(file.num_record_batches):
            yield from file.get_batch(number).to_pylist()


@dataclass
class KnownCaptures:
    """The captures of one shard of the parent build, found by fingerprint."""

    _file: Any
    _fingerprints: npt.NDArray[np.bytes_]
    _order: npt.NDArray[np.int64]
    _mapped: dict[int, pa.RecordBatch] = field(default_factory=dict)

    @classmethod
    def of(cls, parent: BuildDir | None, shard: int) -> KnownCaptures | None:
        path = known_file(parent, shard)
        if path is None:
            return None
        found = [row["fingerprint"] for row in known_rows(parent, shard, ("fingerprint",))]
        fingerprints = np.array(found, dtype="S32")
        order = np.argsort(fingerprints, kind="stable")
        file = pa.ipc.open_file(pa.memory_map(str(local_copy(path))))
        return cls(file, fingerprints[order], order)

    def find(self, raw: RawPage, fingerprint: str) -> ExtractedPage | Reject | None:
        """What extracting the record gave before, as if it had been extracted now."""
        place = int(np.searchsorted(self._fingerprints, fingerprint.encode()))
        if place == len(self._order) or self._fingerprints[place] != fingerprint.encode():
            return None
        row = self._row(int(self._order[place]))
        if row["reason"] is not None:
            return unreadable(raw.source_id, row["reason"], row["detail"], raw.url)
        found = extracted_page(row)
        name = page_id(raw.url, raw.source_id, found.page.content_hash)
        page = replace(found.page, page_id=name, source_id=raw.source_id, fetched_at=raw.fetched_at)
        return replace(found, page=page)

    def _row(self, number: int) -> dict[str, Any]:
        batch, position = divmod(number, _ROWS_PER_BATCH)
        if batch not in self._mapped:
            self._mapped[batch] = self._file.get_batch(batch)
        row: dict[str, Any] = self._mapped[batch].slice(position, 1).to_pylist()[0]
        return row
