"""WARC and ARC files that others made, some broken on purpose, in ../shared."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from factmill.schemas.records import Reject
from factmill.transforms.inputs.discovery import find_inputs, plan_splits
from factmill.transforms.inputs.raw_page import RawPage
from factmill.transforms.inputs.read_split import read_split
from tests.conftest import DATA

WARC = DATA / "warc"
FILES = sorted(WARC.iterdir()) if WARC.is_dir() else []
WHOLE = [
    path
    for path in FILES
    if not any(word in path.name for word in ("bad", "trunc", "wrong", "space"))
    or "wget-bad" in path.name
]  # fmt: skip
pytestmark = pytest.mark.skipif(not FILES, reason="../shared/data is not there")
RECORDS = {"response", "resource", "conversion", "revisit"}


def _read(path: Path) -> list[RawPage | Reject]:
    return [one for split in plan_splits(find_inputs([str(path)])) for one in read_split(split)]


@pytest.mark.parametrize("path", WHOLE, ids=lambda path: path.name)
def test_read_split_whole_files_agree_with_warcio(path: Path) -> None:
    bodies: Counter[bytes] = Counter()
    with path.open("rb") as stream:
        for record in ArchiveIterator(stream, arc2warc=True):
            if record.rec_type in RECORDS:
                bodies[record.content_stream().read()] += 1
    found = _read(path)
    pages = Counter(page.html for page in found if isinstance(page, RawPage) and page.html)
    assert len(found) == bodies.total()
    assert not pages - bodies


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
@pytest.mark.parametrize("share", [0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99])
def test_read_split_truncated_files_end(path: Path, share: float, tmp_path: Path) -> None:
    content = path.read_bytes()
    (tmp_path / "x").write_bytes(content[: int(len(content) * share)])
    found = [
        one for split in plan_splits(find_inputs([str(tmp_path)])) for one in read_split(split)
    ]
    assert all(one.source_id if isinstance(one, RawPage) else one.reason for one in found)
