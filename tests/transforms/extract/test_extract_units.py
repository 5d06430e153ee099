from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from factmill.models.readers.reading import AtomicQuestion, PageContext, Reading, Statement
from factmill.schemas.errors import Rejected
from factmill.schemas.layout import BuildDir
from factmill.schemas.records import Segment
from factmill.transforms.extract.extract_units import EXTRACT_STAGE, VALIDATE, ExtractShard
from factmill.transforms.tasks.shard_files import column_map, read_records
from factmill.transforms.tasks.task_results import TaskResults
from tests.runtime.tiny_build import SITES, write_tables


class FakeReader:
    """States the whole segment, asks for its last word, and refuses segments that hold `refuse`."""

    fingerprint = "reader-fake"

    def __init__(self, refuse: str = "bridge") -> None:
        self.refuse = refuse
        self.titles: list[str] = []

    def read(self, segment: Segment, page: PageContext) -> Reading:
        self.titles.append(page.title)
        if self.refuse in segment.text.lower():
            raise Rejected("refused", f"it speaks of {self.refuse} \ud83d")
        size = len(segment.text)
        last = segment.text.rindex(" ") + 1
        statement = Statement(segment.text, 0, size)
        question = AtomicQuestion(f"What ends {segment.segment_id}?", last, size, 0)
        return Reading((statement, statement), (question,))


@pytest.fixture
def build(tmp_path: Path) -> BuildDir:
    build = BuildDir(tmp_path / "b")
    write_tables(build)
    return build


def test_extract_shard_segments_in_are_read_plus_rejected(build: BuildDir) -> None:
    reader = FakeReader()
    for shard in range(2):
        path = build.part("11_segments", shard)
        segments = {segment.segment_id: segment for segment in read_records(path, Segment)}
        counts = ExtractShard(build, reader)(shard)
        refused = {key for key, segment in segments.items() if "bridge" in segment.text.lower()}
        assert counts.balanced
        assert counts.records_in == len(segments)
        assert counts.rejected == ({"refused": len(refused)} if refused else {})
        rejects = pq.read_table(build.part("29_rejects", shard), partitioning=None).to_pylist()
        urls = column_map(build.part("10_pages", shard), "page_id", "url")
        for row in rejects:
            assert row["page_id"] == segments[row["record_id"]].page_id
            assert row["url"] == urls[row["page_id"]] == f"https://{row['site']}/"
        details = {row["detail"] for row in rejects if row["stage"] == EXTRACT_STAGE}
        assert details <= {"it speaks of bridge \ufffd"}
        unread = [row["record_id"] for row in rejects if row["stage"] == EXTRACT_STAGE]
        assert sorted(unread) == sorted(refused)
        repeated = [row for row in rejects if row["stage"] == VALIDATE]
        assert len(unread) + len(repeated) == len(rejects)
        assert {row["record_id"] for row in repeated} == set(segments) - refused
        assert {row["reason"] for row in repeated} <= {"repeat"}
        items = TaskResults.of(build, VALIDATE).total()
        assert items.balanced
        propositions = pq.read_table(build.part("20_propositions", shard)).to_pylist()
        assert {row["segment_id"] for row in propositions} == set(segments) - refused
        assert counts.produced == {
            "20_propositions": len(segments) - len(refused),
            "21_qa_pairs": len(segments) - len(refused),
            "29_rejects": len(segments),
            "reused": 0,
        }
        for row in pq.read_table(build.part("21_qa_pairs", shard)).to_pylist():
            text = segments[row["segment_id"]].text
            assert text[row["answer_start"] : row["answer_end"]] == row["answer"]
            assert row["reader"] == "reader-fake"
            assert set(row["proposition_ids"]) <= {prop["unit_id"] for prop in propositions}
    assert set(reader.titles) == {site.title for site in SITES}


def test_extract_shard_bug_in_the_reader_is_no_reject_and_leaves_no_new_file(
    build: BuildDir,
) -> None:
    class Broken(FakeReader):
        def read(self, segment: Segment, page: PageContext) -> Reading:
            raise ZeroDivisionError(segment, page)

    before = build.part("20_propositions", 0).read_bytes()
    with pytest.raises(ZeroDivisionError):
        ExtractShard(build, Broken())(0)
    assert build.part("20_propositions", 0).read_bytes() == before
    assert [path.name for path in build.shard("20_propositions", 0).iterdir()] == [
        "part-000.parquet"
    ]


def test_extract_shard_without_pages_writes_empty_tables(tmp_path: Path) -> None:
    build = BuildDir(tmp_path / "b")
    write_tables(build, sites=())
    counts = ExtractShard(build, FakeReader())(1)
    assert (counts.records_in, counts.records_out, counts.rejected) == (0, 0, {})
    assert pq.read_metadata(build.part("21_qa_pairs", 1)).num_rows == 0
