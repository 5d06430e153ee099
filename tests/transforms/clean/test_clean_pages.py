from __future__ import annotations

import json
import os
import resource
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apache_beam as beam
import pyarrow.parquet as pq
import pytest
from apache_beam.runners.portability.fn_api_runner import FnApiRunner

from factmill.schemas.ids import page_id
from factmill.schemas.layout import BuildDir
from factmill.schemas.manifest import StageCounts
from factmill.transforms.clean.clean_options import DEFAULT_OPTIONS, CleanOptions
from factmill.transforms.clean.clean_pages import SHARDS, SPLITS, CleanPages, clean_counts
from factmill.transforms.clean.compare_pages import ComparePages
from factmill.transforms.clean.extract_page import load_models
from factmill.transforms.clean.extract_split import ExtractSplit
from factmill.transforms.clean.item_limits import Limits
from factmill.transforms.clean.merge_shard import MergeShard
from factmill.transforms.clean.page_processes import _idle, page_process
from factmill.transforms.inputs.discovery import Split, find_inputs, plan_splits
from factmill.transforms.inputs.raw_page import RawPage
from factmill.transforms.tasks import fork_server
from factmill.transforms.tasks.task_results import TaskResults
from tests.forked_processes import processes_are_forked

LINES = (
    '{"id": "a", "url": "http://a.example/", "text": "Weaver\'s Bridge was built in 1742."}\n'
    "broken\n"
    '{"id": "b", "url": "http://a.example/", "text": "Weaver\'s Bridge was built in 1742."}\n'
    '{"id": "c", "html": "<nav>Home</nav>"}\n'
    '{"id": "d", "url": "http://d.example/", "text": "The ferry leaves. It is late."}\n'
)


@pytest.fixture(scope="module", autouse=True)
def forked() -> Iterator[None]:
    """Each build has processes for pages of its own here, as it has for users."""
    with processes_are_forked(load_models.__module__):
        fork_server.load(load_models)
        yield


@pytest.fixture
def splits(tmp_path: Path) -> list[Split]:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "x.jsonl").write_text(LINES)
    (tmp_path / "in" / "e.html").write_text(f"<p>{'A page of its own in a file. ' * 5}</p>")
    (tmp_path / "in" / "f.pdf").write_bytes(b"%PDF")
    return plan_splits(find_inputs([str(tmp_path / "in")]))


def test_extract_split_of_many_shards_may_open_more_files_than_the_soft_limit(
    tmp_path: Path,
) -> None:
    (tmp_path / "in.jsonl").write_text("{\n" * 400)
    [split] = plan_splits(find_inputs([str(tmp_path / "in.jsonl")]))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (len(os.listdir("/dev/fd")) + 200, hard))
    try:
        counts = ExtractSplit(BuildDir(tmp_path / "b"), 1000, DEFAULT_OPTIONS)(split)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert counts.rejected == {"bad_json": 400}


def _check(build: BuildDir, counts: StageCounts) -> None:
    assert counts.balanced
    assert (counts.records_in, counts.records_out) == (7, 3)
    assert counts.rejected == {"bad_json": 1, "no_text": 1, "unknown_format": 1, "duplicate": 1}
    rejects = [pq.read_metadata(build.part("19_rejects", shard)).num_rows for shard in range(2)]
    assert counts.produced["19_rejects"] == sum(rejects) == 4
    pages = [
        row
        for shard in range(2)
        for row in pq.read_table(build.part("10_pages", shard), partitioning=None).to_pylist()
    ]
    assert {row["source_id"] for row in pages} == {"a", "d", "e.html"}


def _clean(
    build: BuildDir, splits: list[Split], options: CleanOptions = DEFAULT_OPTIONS
) -> StageCounts:
    read = sum((ExtractSplit(build, 2, options)(split) for split in splits), StageCounts())
    assert read.balanced
    ComparePages(build, 2, options)(0)
    merged = sum((MergeShard(build, options)(shard) for shard in range(2)), StageCounts())
    return clean_counts(read, merged)


def _rows(build: BuildDir, table: str) -> list[dict[str, Any]]:
    return [
        row
        for shard in range(2)
        for row in pq.read_table(build.part(table, shard), partitioning=None).to_pylist()
    ]


def test_clean_split_compare_and_merge_in_is_out_plus_rejects(
    tmp_path: Path, splits: list[Split]
) -> None:
    build = BuildDir(tmp_path / "b")
    _check(build, _clean(build, splits))
    entities = [entity["text"] for row in _rows(build, "11_segments") for entity in row["entities"]]
    assert "1742" in entities


def test_clean_pages_pipeline_writes_every_shard_after_all_splits(
    tmp_path: Path, splits: list[Split]
) -> None:
    build = BuildDir(tmp_path / "b")
    with beam.Pipeline(runner=FnApiRunner()) as pipeline:
        _ = pipeline | beam.Create(splits) | CleanPages(build, 2, DEFAULT_OPTIONS)
    totals = [TaskResults.of(build, step).total() for step in (SPLITS, SHARDS)]
    _check(build, clean_counts(*totals))


def test_extract_split_page_over_its_time_or_memory_is_a_reject_and_the_rest_are_pages(
    tmp_path: Path,
) -> None:
    (tmp_path / "in").mkdir()
    sentence = "The ferry to the lighthouse leaves at nine in the morning."
    for name, body in (
        ("a.html", f"<p>{sentence * 3}</p>"),
        ("slow.html", f"<p>{sentence}</p>" * 40_000),
        ("z.html", "<p>The lamp of Gannet Rock is lit at dusk, and seen from 30 miles.</p>"),
    ):
        (tmp_path / "in" / name).write_text(body)
    splits = plan_splits(find_inputs([str(tmp_path / "in")]))
    for number, (limits, reason) in enumerate(
        [(Limits(0.1, 1000), "too_slow"), (Limits(20, 60), "too_much_memory")]
    ):
        build = BuildDir(tmp_path / f"{number}")
        counts = _clean(build, splits, CleanOptions(limits=limits))
        assert (counts.records_in, counts.records_out, counts.rejected) == (3, 2, {reason: 1})
        [reject] = _rows(build, "19_rejects")
        assert (reject["record_id"], reject["reason"]) == ("slow.html", reason)
        assert {row["source_id"] for row in _rows(build, "10_pages")} == {"a.html", "z.html"}


def test_clean_no_process_stays_after_the_pages_are_extracted(
    tmp_path: Path, splits: list[Split]
) -> None:
    with page_process(DEFAULT_OPTIONS) as process:
        list(process.map([RawPage("a", text="The ferry leaves at nine.")]))
    assert any(_idle.values())
    _clean(BuildDir(tmp_path / "b"), splits)
    assert not any(_idle.values())


def test_clean_pages_what_a_site_repeats_is_left_out_of_its_pages(tmp_path: Path) -> None:
    notice = "Our office by the old harbour is open from nine to five on weekdays."
    facts = [f"Bridge {n} was built in {1700 + 7 * n} by the {n}th mason." for n in range(6)]
    lines = [
        json.dumps({"url": f"http://a.example/{n}", "text": f"{notice} {fact}\n{notice}"})
        for n, fact in enumerate(facts)
    ]
    lines.append(json.dumps({"url": "http://a.example/notice", "text": notice}))
    (tmp_path / "x.jsonl").write_text("\n".join(lines))
    build = BuildDir(tmp_path / "b")
    counts = _clean(build, plan_splits(find_inputs([str(tmp_path / "x.jsonl")])))
    assert counts.balanced
    assert counts.rejected == {"only_repeated": 1}
    [reject] = _rows(build, "19_rejects")
    url = "http://a.example/notice"
    assert (reject["url"], reject["site"]) == (url, "a.example")
    assert (reject["page_id"], reject["kept_page_id"]) == (page_id(url, "", ""), None)
    assert sorted(row["text"] for row in _rows(build, "10_pages")) == facts
    pages = {row["page_id"]: row for row in _rows(build, "10_pages")}
    segments = _rows(build, "11_segments")
    assert len(segments) == 6
    for row in segments:
        assert pages[row["page_id"]]["text"][row["start"] : row["end"]] == row["text"]


def test_extract_split_strips_tokens_from_urls_of_pages_and_rejects(tmp_path: Path) -> None:
    secret = "http://a.example/{}?id=1&access_token=s3cret"
    head = f"<head><link rel=canonical href='{secret.format(3)}'></head>"
    text = f"<p>{'The harbour of Port Elland is old. ' * 5}</p>"
    records = [
        {"id": "a", "url": secret.format(1), "text": "Weaver's Bridge was built in 1742."},
        {"id": "b", "url": secret.format(2), "html": "<nav>Home</nav>"},
        {"id": "c", "html": f"<html>{head}<body>{text}</body></html>"},
    ]
    (tmp_path / "x.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    (split,) = plan_splits(find_inputs([str(tmp_path / "x.jsonl")]))
    build = BuildDir(tmp_path / "b")
    _clean(build, [split], CleanOptions(strip_tokens=True))
    urls = [
        url
        for table in ("10_pages", "19_rejects")
        for shard in range(2)
        for url in pq.read_table(build.part(table, shard), partitioning=None)["url"].to_pylist()
    ]
    assert sorted(urls) == [f"http://a.example/{number}?id=1" for number in (1, 2, 3)]
