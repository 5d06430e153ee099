"""Captures that a build reuses from its parent, looked up by the fingerprint of the input record.

The fingerprint covers everything that extraction depends on: the record, the options, the code and
the libraries.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from factmill.models.arrays import Integers
from factmill.schemas.fingerprint import code_fingerprint
from factmill.schemas.ids import page_id
from factmill.schemas.layout import BuildDir
from factmill.schemas.libraries import CAPTURE, library_versions
from factmill.schemas.records import Reject
from factmill.schemas.storage.paths import StoragePath
from factmill.transforms.clean.clean_options import CleanOptions
from factmill.transforms.clean.extract_page import ExtractedPage
from factmill.transforms.clean.stored_captures import (
    ROWS_PER_BATCH,
    captures_reader,
    extracted_page,
    intact_captures,
    sound_batch,
    stored_rows,
)
from factmill.transforms.inputs.raw_page import RawPage, unreadable

# The source files that decide the result of `extract_page`; a test compares them with its imports.
EXTRACTION = (
    "transforms/clean/extract_page.py",
    "transforms/clean/invisible_characters.py",
    "transforms/clean/page_walls.py",
    "transforms/clean/reject_rules.py",
    "transforms/markup/adjoining_words.py",
    "transforms/markup/decoding.py",
    "transforms/markup/double_encoded.py",
    "transforms/markup/formulas.py",
    "transforms/markup/html_tree.py",
    "transforms/markup/inline_notes.py",
    "transforms/markup/mistaken_encodings.py",
    "transforms/markup/raised_numbers.py",
    "transforms/markup/unseen_text.py",
    "transforms/inputs/raw_page.py",
    "transforms/markup/main_text",
    "transforms/markup/page_data",
    "transforms/markup/page_kind",
    "transforms/markup/posts",
    "transforms/markup/tables",
    "models/pages",
    "models/text/language.py",
    "models/text/near_duplicates.py",
    "models/text/sentences.py",
    "models/text/url_credentials.py",
    "schemas/ids.py",
)


def capture_fingerprint(raw: RawPage, options: CleanOptions) -> str:
    """32 hexadecimal digits that change with everything that may change the extraction.

    Fetch time and record name are not included: a page that was crawled again unchanged has the
    same fingerprint.
    """
    html = raw.html
    code = f"{code_fingerprint(EXTRACTION)} {library_versions(CAPTURE)}"
    kind = type(html).__name__
    wanted = [options.languages, options.kinds]
    facts = json.dumps([code, wanted, raw.url, raw.title, raw.charset, raw.text, kind])
    digest = hashlib.sha256(facts.encode())
    if html is not None:
        digest.update(html if isinstance(html, bytes) else html.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:32]


@dataclass
class ReusableCaptures:
    """The captures of one shard of the parent build, by fingerprint."""

    _path: StoragePath
    _file: pa.ipc.RecordBatchFileReader
    _fingerprints: npt.NDArray[np.bytes_]
    _order: Integers
    _mapped: dict[int, pa.RecordBatch] = field(default_factory=dict)

    @classmethod
    def of(cls, parent: BuildDir | None, shard: int) -> ReusableCaptures | None:
        path = intact_captures(parent, shard)
        if path is None:
            return None
        stored = [row["fingerprint"] for row in stored_rows(parent, shard, ("fingerprint",))]
        fingerprints = np.array(stored, dtype="S32")
        order = np.argsort(fingerprints, kind="stable")
        return cls(path, captures_reader(path), fingerprints[order], order)

    def find(self, raw: RawPage, fingerprint: str) -> ExtractedPage | Reject | None:
        """The earlier extraction of the record, as if it had been extracted now; None if the parent
        lacks it.
        """
        rank = int(np.searchsorted(self._fingerprints, fingerprint.encode()))
        if rank == len(self._order) or self._fingerprints[rank] != fingerprint.encode():
            return None
        row = self._row(int(self._order[rank]))
        if row["reason"] is not None:
            return unreadable(raw.source_id, row["reason"], row["detail"], raw.url)
        found = extracted_page(row)
        name = page_id(raw.url, raw.source_id, found.page.content_hash, found.page.url)
        page = replace(found.page, page_id=name, source_id=raw.source_id, fetched_at=raw.fetched_at)
        return replace(found, page=page)

    def _row(self, number: int) -> dict[str, Any]:
        batch, row_in_batch = divmod(number, ROWS_PER_BATCH)
        if batch not in self._mapped:
            self._mapped[batch] = sound_batch(self._path, self._file, batch)
        row: dict[str, Any] = self._mapped[batch].slice(row_in_batch, 1).to_pylist()[0]
        return row
