from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from factmill.models.answering.span_models.span_model import HEAD_BIAS
from factmill.models.codes.hash_head import Projection
from factmill.models.links.build_scorer import LinkScorerCard, write_scorer
from factmill.models.links.link_scorer import FEATURES, default_scorer
from factmill.runtime.verify.verify_build import MAX_FAULTS, verify_build
from factmill.runtime.verify.verify_slices import slices
from factmill.schemas.index_files import FILES
from factmill.schemas.layout import INDEX, BuildDir, shard_name
from factmill.schemas.lexical_files import LEXICAL_FILES
from factmill.schemas.link_files import LINK_FILES, LINKS
from factmill.schemas.manifest import StageCounts, read_manifest
from factmill.schemas.tables import TABLES, VECTORS
from tests.damaged_files import flip_bit
from tests.models.answering.tiny_span_model import (
    published_tiny_encoder,
    random_weights,
    write_span_model,
)
from tests.runtime.tiny_build import (
    as_before_bylines,
    as_before_kinds_of_pages,
    as_before_pages_of_rejects,
    as_before_posts,
    random_head,
    tiny_build,
    write_manifest,
)
from tests.runtime.verify.damage import Row, faults, full_shard, rewrite, rewrite_arrow, set_row

HEAD = "30_models/hash_head.safetensors"


def test_verify_build_whole_build_has_no_fault(whole: BuildDir) -> None:
    assert faults(whole) == []


def test_verify_build_empty_build_has_no_fault(tmp_path: Path) -> None:
    assert faults(tiny_build(tmp_path / "store", sites=())) == []


@pytest.mark.parametrize(
    "as_before",
    [as_before_pages_of_rejects, as_before_kinds_of_pages, as_before_bylines, as_before_posts],
)
def test_verify_build_tables_of_an_older_version_are_no_fault(
    build: BuildDir, as_before: Callable[[BuildDir], None]
) -> None:
    as_before(build)
    write_manifest(build)
    assert faults(build) == []


@pytest.mark.parametrize(
    ("encoder", "found"), [("encoder-fake", None), ("another", "trained for another encoder")]
)
def test_verify_build_reads_the_scorer_of_links(
    build: BuildDir, encoder: str, found: str | None
) -> None:
    card = LinkScorerCard(list(FEATURES), encoder, "b", True, {}, {}, [])
    write_scorer(build, card, default_scorer())
    assert "30_models/link_scorer/card.json: not in the manifest" in faults(build)
    write_manifest(build)
    lines = faults(build)
    assert len(lines) == (1 if found else 0)
    assert all(found and found in line for line in lines)


def test_verify_build_hidden_working_files_are_no_fault(build: BuildDir) -> None:
    build.work.mkdir()
    (build.work / "spool").write_text("x")
    (build.root / ".part.tmp").write_text("x")
    assert faults(build) == []


_EVERY_KIND = [
    *(f"{table}/{shard_name(0)}/part-000.parquet" for table in (*TABLES, VECTORS)),
    HEAD,
    *(f"{INDEX}/{shard_name(1)}/{name}" for name in (*FILES, *LEXICAL_FILES, LINKS)),
]


@pytest.mark.parametrize("name", _EVERY_KIND)
def test_verify_build_one_byte_flipped_is_a_fault_that_names_the_file(
    build: BuildDir, name: str
) -> None:
    flip_bit(build.root / name)
    assert [fault for fault in faults(build) if fault.startswith(name)] == [
        f"{name}: not the bytes that were written"
    ]


@pytest.mark.parametrize("name", _EVERY_KIND)
def test_verify_build_deleted_file_is_a_fault_that_names_it(build: BuildDir, name: str) -> None:
    (build.root / name).unlink()
    assert f"{name}: missing" in faults(build)


@pytest.mark.parametrize(
    "name", ["10_pages/shard=000/part-001.parquet", "50_index/shard=001/x", "notes.txt"]
)
def test_verify_build_added_file_is_a_fault_that_names_it(build: BuildDir, name: str) -> None:
    (build.root / name).write_text("x")
    assert f"{name}: not in the manifest" in faults(build)


def test_verify_build_file_outside_the_build_is_a_fault(build: BuildDir) -> None:
    manifest = read_manifest(build)
    table = manifest.tables["10_pages"]
    moved = replace(table.files[0], path="../../CURRENT")
    manifest.tables["10_pages"] = replace(table, files=(moved, *table.files[1:]))
    assert "../../CURRENT: outside the build" in verify_build(build, manifest)


@pytest.mark.parametrize("table", [*TABLES, VECTORS, INDEX])
def test_verify_build_wrong_number_of_rows_of_a_table_is_a_fault(
    whole: BuildDir, table: str
) -> None:
    manifest = read_manifest(whole)
    entry = manifest.tables[table]
    manifest.tables[table] = replace(entry, rows=entry.rows + 1)
    assert any(fault.startswith(table) for fault in verify_build(whole, manifest))


def test_verify_build_wrong_number_of_rows_of_a_file_is_a_fault(whole: BuildDir) -> None:
    manifest = read_manifest(whole)
    entry = manifest.tables["11_segments"]
    one, two = entry.files
    files = (replace(one, rows=one.rows + 1), replace(two, rows=two.rows - 1))
    manifest.tables["11_segments"] = replace(entry, files=files)
    assert any("11_segments" in fault for fault in verify_build(whole, manifest))


@pytest.mark.parametrize("stage", ["clean", "extract", "encode", "index"])
def test_verify_build_records_neither_out_nor_rejected_are_a_fault(
    whole: BuildDir, stage: str
) -> None:
    manifest = read_manifest(whole)
    counts = manifest.counts[stage]
    manifest.counts[stage] = replace(counts, records_in=counts.records_in + 2)
    faults = verify_build(whole, manifest)
    assert [fault for fault in faults if fault.startswith(stage) and "2 neither" in fault] == faults
    assert len(faults) == 1


@pytest.mark.parametrize(("stage", "table"), [("clean", "19_rejects"), ("extract", "29_rejects")])
def test_verify_build_rejects_that_were_not_written_are_a_fault(
    whole: BuildDir, stage: str, table: str
) -> None:
    manifest = read_manifest(whole)
    counts = manifest.counts[stage]
    manifest.counts[stage] = StageCounts(
        counts.records_in, counts.records_out - 1, counts.rejected | {"bad": 1}, counts.produced
    )
    assert any(fault.startswith(table) for fault in verify_build(whole, manifest))


def test_verify_build_row_lost_from_a_table_is_a_fault(build: BuildDir) -> None:
    rewrite(build, VECTORS, lambda rows: rows.pop())
    assert any("40_vectors" in fault or "index shard" in fault for fault in faults(build))


def _set_part(**changes: Any) -> Callable[[list[Row]], None]:
    return lambda rows: rows[0]["parts"][1].update(changes)


def _move_entity(rows: list[Row]) -> None:
    rows[0]["entities"][0]["start"] += 1


@pytest.mark.parametrize(
    ("table", "change", "named"),
    [
        ("11_segments", set_row(0, start=lambda start: start + 1), "segment"),
        ("11_segments", set_row(0, end=lambda end: end - 1), "segment"),
        ("11_segments", set_row(0, text="Another text."), "segment"),
        ("11_segments", set_row(0, page_id="0" * 32), "no page"),
        ("11_segments", _move_entity, "entity"),
        ("10_pages", set_row(0, text=lambda text: "X" + text), "segment"),
        ("20_propositions", set_row(0, evidence_end=lambda end: end + 1), "proposition"),
        ("20_propositions", set_row(0, evidence_start=-1), "proposition"),
        ("20_propositions", set_row(0, text="Another text."), "proposition"),
        ("20_propositions", set_row(0, segment_id="0" * 32), "proposition"),
        ("21_qa_pairs", set_row(0, answer_start=lambda start: start + 1), "qa_pair"),
        ("21_qa_pairs", set_row(0, answer="another"), "qa_pair"),
        ("21_qa_pairs", set_row(0, answer="", answer_end=0, answer_start=0), "qa_pair"),
        ("21_qa_pairs", set_row(0, question="Another question?"), "qa_pair"),
        ("21_qa_pairs", set_row(0, proposition_ids=["0" * 32]), "proposition"),
        ("22_composed_questions", set_row(0, answer="another"), "its answer"),
        ("22_composed_questions", set_row(0, question="Another question?"), "its id"),
        ("22_composed_questions", set_row(0, kind="chain"), "not what its last part asks"),
        ("22_composed_questions", set_row(0, page_id="0" * 32), "not in the shard"),
        ("22_composed_questions", set_row(0, parts=lambda parts: parts[:1]), "1 parts"),
        ("22_composed_questions", _set_part(unit_id="0" * 32), "is not a QA pair"),
        ("22_composed_questions", _set_part(question="Another?"), "is not a QA pair"),
        ("22_composed_questions", _set_part(answer="another"), "is not a QA pair"),
        (VECTORS, set_row(0, code=lambda code: bytes([code[0] ^ 1]) + code[1:]), "index shard"),
        (VECTORS, set_row(0, unit_id="0" * 32), "index shard"),
    ],
)
def test_verify_build_wrong_content_with_a_true_checksum_is_a_fault(
    build: BuildDir, table: str, change: Callable[[list[Row]], None], named: str
) -> None:
    rewrite(build, table, change)
    assert any(named in fault for fault in faults(build))


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("rows.arrow", set_row(0, unit_id="0" * 32)),
        ("rows.arrow", set_row(1, segment=lambda segment: segment + 1)),
        ("rows.arrow", set_row(1, segment=10_000)),
        ("rows.arrow", set_row(1, text="Another text.")),
        ("rows.arrow", set_row(1, end=lambda end: end - 1)),
        ("segments.arrow", set_row(0, page=10_000)),
        ("segments.arrow", set_row(0, text="Another text.")),
        ("segments.arrow", set_row(0, rows=lambda rows: rows - 1)),
        ("pages.arrow", set_row(0, url="https://elsewhere.example/")),
    ],
)
def test_verify_build_index_table_that_leads_elsewhere_is_a_fault(
    build: BuildDir, name: str, change: Callable[[list[Row]], None]
) -> None:
    rewrite_arrow(build, name, change)
    assert faults(build) != []


def test_verify_build_codes_of_another_head_are_a_fault(build: BuildDir) -> None:
    random_head(seed=8).save(build.root / HEAD)
    write_manifest(build)
    assert any("bits are not those of the hash head" in fault for fault in faults(build))


def test_verify_build_embedding_of_another_length_is_a_fault(build: BuildDir) -> None:
    def longer(rows: list[Row]) -> None:
        rows[0]["embedding"] = [2 * value for value in rows[0]["embedding"]]

    rewrite(build, VECTORS, longer)
    assert any("not of unit length" in fault for fault in faults(build))


def test_verify_build_unit_on_another_page_than_its_segment_is_a_fault(build: BuildDir) -> None:
    other = pq.read_table(build.part("10_pages", full_shard(build)))["page_id"][-1].as_py()
    rewrite(build, "20_propositions", set_row(0, page_id=other))
    assert any("proposition" in fault for fault in faults(build))


def test_verify_build_text_outside_of_its_mapped_column_is_a_fault(build: BuildDir) -> None:
    """As Arrow computes with these, such a file could end the process."""
    path = build.shard(INDEX, full_shard(build)) / "segments.arrow"
    with pa.ipc.open_file(pa.memory_map(str(path))) as file:
        texts = file.read_all()["text"].chunk(0)
    offsets = texts.buffers()[1].to_pybytes()
    content = path.read_bytes()
    assert content.count(offsets) == 1
    path.write_bytes(content.replace(offsets, offsets[:-8] + (1 << 40).to_bytes(8, "little")))
    write_manifest(build)
    assert any("segments.arrow" in fault for fault in faults(build))


@pytest.mark.parametrize("sample", [None, 0])
def test_verify_build_by_slices_looks_at_all_rows_or_at_one_slice(
    build: BuildDir, monkeypatch: pytest.MonkeyPatch, sample: int | None
) -> None:
    monkeypatch.setattr("factmill.runtime.verify.verify_slices._SLICE_ROWS", 1)
    monkeypatch.setattr("factmill.runtime.verify.verify_slices._MIN_SAMPLE", 1)
    assert verify_build(build, read_manifest(build), sample) == []
    vectors = pq.read_metadata(build.part(VECTORS, full_shard(build))).num_rows
    parts = list(slices(build, full_shard(build), sample))
    assert len(parts) == (vectors if sample is None else 1)
    if sample is None:
        ids = [page for part in parts for page in part.pages]
        table = pq.read_table(build.part("10_pages", full_shard(build)), partitioning=None)
        assert sorted(ids) == sorted(table["page_id"].to_pylist())
    rewrite(build, "21_qa_pairs", lambda rows: [row.update(answer="x") for row in rows])
    found = [fault for fault in faults(build) if "its answer is not at" in fault]
    pairs = pq.read_metadata(build.part("21_qa_pairs", full_shard(build))).num_rows
    assert len(found) == pairs


def test_slices_of_other_builds_have_other_pages(build: BuildDir, monkeypatch: Any) -> None:
    monkeypatch.setattr("factmill.runtime.verify.verify_slices._SLICE_ROWS", 1)
    monkeypatch.setattr("factmill.runtime.verify.verify_slices._MIN_SAMPLE", 1)
    seen = set()
    for number in range(30):
        renamed = build.root.parent / f"b{number}"
        renamed.symlink_to(build.root)
        seen |= {part.first for part in slices(BuildDir(renamed), 0, 0)}
    assert len(seen) > 3


def test_verify_build_table_with_another_schema_is_a_fault(build: BuildDir) -> None:
    path = build.part("10_pages", 0)
    pq.write_table(pq.read_table(path, partitioning=None).drop_columns(["lang"]), path)
    write_manifest(build)
    assert any("10_pages shard 0" in fault and "schema" in fault for fault in faults(build))


def test_verify_build_unreadable_head_is_a_fault(build: BuildDir) -> None:
    (build.root / HEAD).write_bytes(b"not a head")
    write_manifest(build)
    assert any("hash_head" in fault for fault in faults(build))


def test_verify_build_head_of_another_length_is_a_fault(build: BuildDir) -> None:
    head = random_head()
    units = Projection(head.units.weight[:32], head.units.bias[:32])
    replace(head, units=units, queries=units).save(build.root / HEAD)
    write_manifest(build)
    assert any("40_vectors" in fault for fault in faults(build))


def test_verify_build_index_of_another_shard_is_a_fault(build: BuildDir) -> None:
    one, two = build.shard(INDEX, 0), build.shard(INDEX, 1)
    for name in (*FILES, *LEXICAL_FILES, *LINK_FILES):
        (two / name).write_bytes((one / name).read_bytes())
    write_manifest(build)
    assert any("index shard 1" in fault for fault in faults(build))


def test_verify_build_many_faults_are_cut_short(build: BuildDir) -> None:
    for number in range(MAX_FAULTS + 30):
        (build.root / f"extra-{number}").write_text("x")
    found = faults(build)
    assert len(found) == MAX_FAULTS + 1
    assert found[-1] == "... and perhaps more"


def test_verify_build_checks_an_extractor_of_its_own_encoder_in_a_build_without_one(
    build: BuildDir, tmp_path: Path
) -> None:
    encoder = published_tiny_encoder(tmp_path)
    folder = Path(str(build.span_model("span_extractor")))
    shutil.copytree(str(encoder.folder), folder / "encoder")
    weights = random_weights(encoder, labels=0)
    write_span_model(folder, encoder, weights, [])
    write_manifest(build)
    assert not build.has_query_encoder()
    assert faults(build) == []

    write_span_model(folder, encoder, {**weights, HEAD_BIAS: np.full(2, np.nan, np.float32)}, [])
    write_manifest(build)
    (fault,) = faults(build)
    assert "its scores are not numbers" in fault
