from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from schemas.records import Reject
from transforms.inputs.discovery import find_inputs, plan_splits
from transforms.inputs.raw import RawPage
from transforms.inputs.reading import read_split

SAMPLES = Path(__file__).parents[3] / "samples"


def _read(folder: Path) -> list[RawPage | Reject]:
    splits = plan_splits(find_inputs([str(folder)]))
    return [record for split in splits for record in read_split(split)]


def test_read_split_every_kind_in_one_folder_gives_each_record_once(tmp_path: Path) -> None:
    (tmp_path / "one.html").write_text("<p>one")
    (tmp_path / "two.jsonl").write_text('{"id": "two", "text": "x"}\n{"id": "three", "text": "x"}')
    pq.write_table(pa.table({"id": ["four"], "text": ["x"]}), tmp_path / "four.parquet")
    (tmp_path / "five.warc.gz").write_bytes((SAMPLES / "crawl.warc.gz").read_bytes())
    (tmp_path / "six.pdf").write_bytes(b"%PDF-1.4")
    found = _read(tmp_path)
    pages = [record for record in found if isinstance(record, RawPage)]
    rejects = [record for record in found if isinstance(record, Reject)]
    assert len(found) == 5 + 12
    own = {page.source_id for page in pages if not page.source_id.startswith("<urn:")}
    assert own == {"one.html", "two", "three", "four"}
    assert sorted(reject.reason for reject in rejects) == [
        "http_status", "not_html", "unknown_format",
    ]  # fmt: skip


def test_read_split_samples_html_uses_paths_as_ids() -> None:
    found = _read(SAMPLES / "html")
    assert len(found) == 19
    assert "town/bridges.html" in {page.source_id for page in found if isinstance(page, RawPage)}


@pytest.mark.parametrize("kept", [30, 60])
def test_read_split_gzipped_page_cut_off_is_a_broken_file(tmp_path: Path, kept: int) -> None:
    packed = gzip.compress(b"<html><body><p>A page whose end never arrived, as it happens.</p>")
    (tmp_path / "p.html.gz").write_bytes(packed[:kept])
    (found,) = _read(tmp_path)
    assert isinstance(found, Reject)
    assert found.reason == "broken_file"


def test_read_split_json_lines_whose_first_line_is_broken_gives_the_others(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('oops\n{"id": "a", "text": "x"}\n')
    found = _read(tmp_path)
    assert [type(record) for record in found] == [Reject, RawPage]
