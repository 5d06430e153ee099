"""The whole chain on the sample crawl: counts, provenance, sameness, resuming, reuse."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.ipc
import pytest

import factmill.pipelines.build
import factmill.pipelines.clean
import factmill.pipelines.encode
import factmill.pipelines.extract
from factmill.models.codes.hash_head import HashHead
from factmill.pipelines.build import run_jobs
from factmill.pipelines.job import Job
from factmill.pipelines.open_build import open_job
from factmill.pipelines.runners.run_job import RunOptions
from factmill.pipelines.settings import BuildSettings
from factmill.pipelines.store.lock import Lease
from factmill.pipelines.store.publish_checks import Publishing
from factmill.runtime import open_index
from factmill.runtime.verify.verify_build import verify_build
from factmill.schemas.errors import BuildError, Locked
from factmill.schemas.ids import shard_of
from factmill.schemas.layout import INDEX, BuildDir, Store
from factmill.schemas.manifest import StageCounts, read_manifest
from factmill.transforms.inputs import discovery
from factmill.transforms.tasks.task_results import TaskResults
from tests.build_tables import rows
from tests.conftest import SAMPLE_INPUTS, SAMPLES, SHARDS, Museum, build_store

TABLES = [
    "10_pages", "11_segments", "19_rejects", "20_propositions", "21_qa_pairs",
    "22_composed_questions", "29_rejects", "40_vectors",
]  # fmt: skip


def identities(build: BuildDir) -> dict[str, Counter[tuple[Any, ...]]]:
    """The ids of every table, with how often they occur."""
    keys = ("page_id", "segment_id", "unit_id", "composed_id", "record_id", "reason", "shard")
    return {
        table: Counter(tuple(row[key] for key in keys if key in row) for row in rows(build, table))
        for table in TABLES
    }


@pytest.fixture(scope="module")
def sample(sample_store: Path) -> BuildDir:
    return Store(sample_store).published()


def test_open_job_resumes_an_unfinished_build_and_never_the_published_one(
    sample: BuildDir, tmp_path: Path
) -> None:
    store, settings = Store(tmp_path / "S"), BuildSettings.load(sample)
    begun = open_job(store, settings, RunOptions(1), None).build
    assert open_job(store, settings, RunOptions(1), None).build == begun

    # A run that died between CURRENT and the removal of the working folder.
    published = replace(read_manifest(sample), build_id=begun.build_id)
    assert open_job(store, settings, RunOptions(1), published).build != begun


def test_open_job_with_retrain_resumes_no_build_that_has_other_models(
    sample: BuildDir, tmp_path: Path
) -> None:
    store, settings = Store(tmp_path / "S"), BuildSettings.load(sample)
    begun = open_job(store, settings, RunOptions(1), None, retrain=True).build
    assert open_job(store, settings, RunOptions(1), None, retrain=True).build == begun
    TaskResults.of(begun, "learn").finish(0, StageCounts())

    assert open_job(store, settings, RunOptions(1), None).build == begun
    begun.retrain.write_text("")
    assert open_job(store, settings, RunOptions(1), None, retrain=True).build == begun
    begun.retrain.unlink()
    assert open_job(store, settings, RunOptions(1), None, retrain=True).build != begun


def test_run_jobs_after_another_build_took_the_lock_does_nothing(
    sample: BuildDir, tmp_path: Path
) -> None:
    store, settings = Store(tmp_path / "S"), BuildSettings.load(sample)
    with Lease.take(store, "build") as lease:
        options = RunOptions(1, publishing=Publishing(lease=lease))
        job = open_job(store, settings, options, None)
        (newest,) = (store.root / "lock").iterdir()
        newest.with_name(f"{int(newest.name) + 1:010d}").write_text("{}")
        with pytest.raises(Locked, match="took over"):
            run_jobs(job)
    assert not (job.build.root / "10_pages").exists()


def test_build_of_the_sample_accounts_for_every_record(sample: BuildDir) -> None:
    counts = read_manifest(sample).counts

    assert counts["clean"].records_in == 40
    assert counts["clean"].records_out == 34
    assert counts["clean"].rejected == {
        "bad_json": 1, "duplicate": 1, "http_status": 1, "no_text": 1, "not_html": 1,
        "superseded": 1,
    }  # fmt: skip
    assert all(count.balanced for count in counts.values())
    assert len(rows(sample, "10_pages")) == 34
    assert len(rows(sample, "19_rejects")) == 6
    read = counts["extract"]
    assert read.records_in == len(rows(sample, "11_segments"))
    rejects = Counter(row["stage"] for row in rows(sample, "29_rejects"))
    assert sum(read.rejected.values()) == rejects["extract"]
    assert sum(counts["validate"].rejected.values()) == rejects["validate"] > 0


def test_build_says_why_each_record_was_rejected(sample: BuildDir) -> None:
    found = {row["record_id"]: row for row in rows(sample, "19_rejects")}

    assert found["weather/live.html"]["reason"] == "no_text"
    assert found["pages.jsonl:7"]["reason"] == "bad_json"
    assert found["thessle-river"]["reason"] == "duplicate"
    assert found["thessle-river"]["detail"].startswith("kept <urn:uuid:")
    assert all(row["stage"] == "clean" for row in found.values())


def test_build_keeps_the_newest_capture(sample: BuildDir) -> None:
    pages = [row for row in rows(sample, "10_pages") if "rovers" in row["url"]]
    history = next(row for row in pages if row["url"].endswith("/club/history"))

    assert "7,120" in history["text"]
    assert "6,450" not in history["text"]


def test_every_unit_leads_to_its_page_through_offsets_that_hold(sample: BuildDir) -> None:
    pages = {row["page_id"]: row for row in rows(sample, "10_pages")}
    segments = {row["segment_id"]: row for row in rows(sample, "11_segments")}
    propositions = {row["unit_id"]: row for row in rows(sample, "20_propositions")}
    pairs = {row["unit_id"]: row for row in rows(sample, "21_qa_pairs")}
    vectors = rows(sample, "40_vectors")

    assert {row["kind"] for row in vectors} == {"segment", "proposition", "qa_pair"}
    assert len(vectors) == len(segments) + len(propositions) + len(pairs)
    for vector in vectors:
        unit = vector["unit_id"]
        if vector["kind"] == "segment":
            segment = segments[unit]
        elif vector["kind"] == "proposition":
            segment = segments[propositions[unit]["segment_id"]]
            start, end = (propositions[unit][f"evidence_{side}"] for side in ("start", "end"))
            assert segment["text"][start:end].strip()
        else:
            pair = pairs[unit]
            segment = segments[pair["segment_id"]]
            span = segment["text"][pair["answer_start"] : pair["answer_end"]]
            assert span == pair["answer"] != ""
            assert set(pair["proposition_ids"]) <= set(propositions)
        page = pages[segment["page_id"]]
        assert page["page_id"] == vector["page_id"]
        if segment["kind"] == "text":
            assert page["text"][segment["start"] : segment["end"]] == segment["text"]
        for entity in segment["entities"]:
            assert segment["text"][entity["start"] : entity["end"]] == entity["text"]
        assert vector["shard"] == page["shard"] == segment["shard"]


def test_every_row_of_the_index_leads_to_its_unit(sample: BuildDir) -> None:
    vectors = {row["unit_id"]: row for row in rows(sample, "40_vectors")}
    seen = set()
    for shard in range(SHARDS):
        folder = sample.shard(INDEX, shard)
        tables = {
            name: pyarrow.ipc.open_file(str(folder / f"{name}.arrow")).read_all().to_pylist()
            for name in ("rows", "segments", "pages")
        }
        for row in tables["rows"]:
            segment = tables["segments"][row["segment"]]
            page = tables["pages"][segment["page"]]
            assert vectors[row["unit_id"]]["page_id"] == page["page_id"]
            assert vectors[row["unit_id"]]["shard"] == shard
            seen.add(row["unit_id"])

    assert seen == set(vectors)


def test_pages_are_sharded_by_their_url(sample: BuildDir) -> None:
    warc = [row for row in rows(sample, "10_pages") if row["source_id"].startswith("<urn:")]

    assert len(warc) > 5
    assert all(row["shard"] == shard_of(row["url"], SHARDS) for row in warc)


def test_codes_are_the_heads_signs_of_the_stored_embeddings(sample: BuildDir) -> None:
    import numpy as np

    head = HashHead.load(sample.models / "hash_head.safetensors")
    vectors = rows(sample, "40_vectors")
    embeddings = np.array([row["embedding"] for row in vectors], dtype=np.float32)

    assert [row["code"] for row in vectors] == [code.tobytes() for code in head.codes(embeddings)]


def test_build_verifies_and_leaves_no_work_behind(sample: BuildDir) -> None:
    assert verify_build(sample, read_manifest(sample)) == []
    assert not sample.work.exists()


def test_build_of_nothing_new_publishes_nothing(sample_store: Path) -> None:
    before = Store(sample_store).published()

    result = build_store(sample_store, SAMPLE_INPUTS)

    assert not result.new
    assert Store(sample_store).published() == before
    assert len(Store(sample_store).builds()) == 1


def test_build_by_two_processes_gives_the_same_ids_and_rows(
    tmp_path: Path, built_museum: Museum, small_encoder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A split for each page, or cleaning would have one task.
    monkeypatch.setattr(discovery, "_MIN_FILES", 1)
    monkeypatch.setattr(factmill.pipelines.clean, "_BYTES_PER_WORKER", 1)
    monkeypatch.setattr(factmill.pipelines.extract, "_BYTES_PER_WORKER", 1)
    monkeypatch.setattr(factmill.pipelines.encode, "BYTES_PER_WORKER", 1)

    build_store(tmp_path / "two", [str(built_museum.pages)], jobs=2, encoder=small_encoder)

    one, two = built_museum.store.published(), Store(tmp_path / "two").published()
    assert one.root != two.root
    assert identities(one) == identities(two)


def test_build_that_died_resumes_where_it_stopped(
    tmp_path: Path, built_museum: Museum, small_encoder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, pages = Store(tmp_path / "store"), str(built_museum.pages)
    real = factmill.pipelines.build.encode

    def die(job: Job) -> None:
        real(job)
        raise KeyboardInterrupt

    monkeypatch.setattr(factmill.pipelines.build, "encode", die)
    with pytest.raises(KeyboardInterrupt):
        build_store(store.root, [pages], encoder=small_encoder)
    assert not store.current.exists()
    (unfinished,) = store.builds()
    tables = unfinished.root.glob("[0-9]*/*/*.parquet")
    written = {path: path.stat().st_mtime_ns for path in tables}
    assert len(written) > SHARDS
    monkeypatch.setattr(factmill.pipelines.build, "encode", real)

    result = build_store(store.root, [pages], encoder=small_encoder)

    assert store.builds() == [unfinished]
    assert result.manifest.build_id == unfinished.build_id
    assert {path: path.stat().st_mtime_ns for path in written} == written


def test_build_with_a_page_more_takes_over_what_was_encoded(
    museum: Museum, small_encoder: str
) -> None:
    store = museum.store
    first, before = read_manifest(store.published()), identities(store.published())
    shutil.copy(SAMPLES / "html" / "town" / "bridges.html", museum.pages / "bridges.html")

    second = build_store(store.root, [str(museum.pages)], encoder=small_encoder).manifest
    after = identities(store.published())

    assert second.parent == first.build_id
    assert second.counts["encode"].produced["reused"] == first.counts["encode"].records_in
    for table in TABLES:
        assert before[table] <= after[table]


def test_build_without_a_page_forgets_it(museum: Museum, small_encoder: str) -> None:
    store = museum.store
    (museum.pages / "visitor-faq.html").unlink()

    build_store(store.root, [str(museum.pages)], encoder=small_encoder)

    assert "visitor-faq.html" not in {
        row["source_id"] for row in rows(store.published(), "10_pages")
    }
    for hit in open_index(store.root).search("Where can visitors leave their luggage?", k=10):
        assert hit.source_id != "visitor-faq.html"


def test_build_that_does_not_add_up_is_not_published(
    museum: Museum, small_encoder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = museum.store
    published = store.published()
    (museum.pages / "index.html").unlink()
    real: Callable[[Job], None] = factmill.pipelines.build.index

    def damage(job: Job) -> None:
        real(job)
        codes = next(job.build.root.rglob("codes.faiss"))
        data = bytearray(codes.read_bytes())
        data[-1] ^= 1
        codes.unlink()  # the published build may have the same file
        codes.write_bytes(data)

    monkeypatch.setattr(factmill.pipelines.build, "index", damage)

    with pytest.raises(BuildError, match="is not published"):
        build_store(store.root, [str(museum.pages)], encoder=small_encoder)

    assert store.published() == published
    assert open_index(store.root).search("museum", k=1)


def test_build_of_no_readable_page_names_files_and_reasons(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    for name in ("a", "b", "c", "d"):
        (pages / f"{name}.html").write_text("")
    (pages / "x.html").write_bytes(b"\x89PNG\r\n\x1a\n0000")

    with pytest.raises(BuildError, match="nothing to index: 5 input files gave 0 pages") as failed:
        build_store(tmp_path / "store", [str(pages)])

    message = str(failed.value)
    reasons = message.split("; ")[1:]
    assert sum(int(reason.split()[0]) for reason in reasons) == 5
    assert "x.html" in message
    assert any(reason.startswith("4 rejected") and ", ...)" in reason for reason in reasons)
    assert "while running" not in message
