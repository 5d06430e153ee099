from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
import torch

from factmill.models.codes.hash_head import HashHead
from factmill.schemas.layout import BuildDir
from factmill.schemas.manifest import StageCounts
from factmill.schemas.records import UnitKind
from factmill.schemas.tables import VECTORS, vectors_schema
from factmill.transforms.encode import encode_units
from factmill.transforms.encode.encode_units import EncodeShard, vectors_table
from factmill.transforms.encode.reused_vectors import ENCODE_STAGE, save_vectors
from factmill.transforms.encode.unit_texts import UnitText, unit_texts
from factmill.transforms.tasks.task_results import TaskResults
from tests.runtime.tiny_build import (
    DIMENSION,
    SITES,
    Fact,
    FakeEncoder,
    Site,
    random_head,
    write_manifest,
    write_tables,
)


def _build(root: Path, sites: tuple[Site, ...] = SITES, head: HashHead | None = None) -> BuildDir:
    build = BuildDir(root)
    write_tables(build, sites)
    (head or random_head()).save(build.hash_head)
    return build


def _encode(
    build: BuildDir, parent: BuildDir | None = None, begun: BuildDir | None = None
) -> tuple[FakeEncoder, int]:
    """The encoder with all it was asked, and how many units were reused."""
    encoder = FakeEncoder()
    reused = 0
    for shard in range(2):
        counts = EncodeShard(build, encoder, parent, 1, begun)(shard)  # type: ignore[arg-type]
        assert counts.balanced
        rows = pq.read_metadata(build.part(VECTORS, shard)).num_rows
        assert counts.records_in == rows == counts.produced[VECTORS]
        reused += counts.produced["reused"]
    return encoder, reused


def _vectors(build: BuildDir) -> dict[str, tuple[bytes, list[float]]]:
    return {
        row["unit_id"]: (row["code"], row["embedding"])
        for shard in range(2)
        for row in pq.read_table(build.part(VECTORS, shard)).to_pylist()
    }


def _texts(build: BuildDir) -> list[UnitText]:
    return [unit for shard in range(2) for unit in unit_texts(build, shard)]


@pytest.mark.parametrize("rows", [1, 7])
def test_vectors_table_codes_are_those_of_the_stored_embedding(rows: int) -> None:
    head = random_head(3)
    embeddings = np.random.default_rng(rows).normal(size=(rows, DIMENSION)).astype(np.float32)
    kinds: list[UnitKind] = ["segment", "proposition", "qa_pair"]
    units = [UnitText(f"u{n}", f"p{n}", kinds[n % 3], "x") for n in range(rows)]
    table = vectors_table(units, embeddings, head)
    assert table.schema.equals(vectors_schema(head.bits, DIMENSION))
    stored = np.array(table["embedding"].to_pylist(), dtype=np.float16)
    assert (stored == embeddings.astype(np.float16)).all()
    assert [
        np.frombuffer(code, np.uint8).tolist() for code in table["code"].to_pylist()
    ] == head.codes(stored.astype(np.float32)).tolist()
    for code, vector in zip(table["code"].to_pylist(), stored.astype(np.float32), strict=True):
        bits = "".join(f"{byte:08b}" for byte in code)
        assert bits == "".join(
            "01"[int(value > 0)] for value in head.units.weight @ vector + head.units.bias
        )
    assert table["unit_id"].to_pylist() == [f"u{n}" for n in range(rows)]
    assert table["kind"].to_pylist() == [unit.kind for unit in units]


def test_unit_texts_of_a_build_are_segments_propositions_and_pairs_with_titles(
    tmp_path: Path,
) -> None:
    units = _texts(_build(tmp_path / "b", SITES[3:4]))
    fact = SITES[3].facts[0]
    assert [(unit.kind, unit.text) for unit in units] == [
        ("segment", f"Museum. {fact.text}"),
        ("proposition", f"Museum. {fact.text}"),
        ("qa_pair", f"Museum. {fact.question} {fact.answer}"),
    ]


def test_encode_shard_every_unit_has_a_vector_of_its_text(tmp_path: Path) -> None:
    build = _build(tmp_path / "b")
    encoder, reused = _encode(build)
    units = _texts(build)
    assert sorted(encoder.encoded) == sorted({unit.text for unit in units})
    assert reused == 0
    vectors = _vectors(build)
    assert set(vectors) == {unit.unit_id for unit in units}
    for unit in units:
        expected = FakeEncoder().encode([unit.text])[0].astype(np.float16)
        assert vectors[unit.unit_id][1] == expected.tolist()


def test_encode_shard_leaves_the_threads_of_the_process_as_they_were(tmp_path: Path) -> None:
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(3)
        _encode(_build(tmp_path / "b"))
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)


def test_encode_shard_units_the_parent_knows_are_not_encoded_again(tmp_path: Path) -> None:
    parent = _build(tmp_path / "parent")
    _encode(parent)
    write_manifest(parent)
    news = Site("news", "News", (Fact("The fair is in May.", "When is it?", "May"),))
    build = _build(tmp_path / "b", (*SITES[1:], news))
    encoder, reused = _encode(build, parent)
    assert encoder.encoded != []
    assert all(text.startswith("News. ") for text in encoder.encoded)
    # The fact as segment and as proposition is one text; the pair is the other.
    assert (len(encoder.encoded), reused) == (2, len(_texts(build)) - 3)
    stored, vectors = _vectors(parent), _vectors(build)
    shared = set(stored) & set(vectors)
    assert len(shared) == reused
    assert all(stored[unit] == vectors[unit] for unit in shared)


def test_encode_shard_nothing_new_encodes_nothing(tmp_path: Path) -> None:
    parent = _build(tmp_path / "parent")
    _encode(parent)
    write_manifest(parent)
    build = _build(tmp_path / "b")
    encoder, reused = _encode(build, parent)
    assert encoder.encoded == []
    assert reused == len(_texts(build))
    assert _vectors(build) == _vectors(parent)


def test_encode_shard_new_head_gives_new_codes_from_the_parents_embeddings(tmp_path: Path) -> None:
    parent = _build(tmp_path / "parent")
    _encode(parent)
    write_manifest(parent)
    build = _build(tmp_path / "b", head=random_head(99))
    encoder, _ = _encode(build, parent)
    assert encoder.encoded == []
    for code, embedding in _vectors(build).values():
        vector = np.array([embedding], np.float32)
        assert np.frombuffer(code, np.uint8).tolist() == random_head(99).codes(vector)[0].tolist()


def test_encode_shard_parent_with_another_encoder_is_not_reused(tmp_path: Path) -> None:
    parent = _build(tmp_path / "parent", head=replace(random_head(), encoder="encoder-of-old"))
    _encode(parent)
    write_manifest(parent)
    build = _build(tmp_path / "b")
    encoder, reused = _encode(build, parent)
    assert set(encoder.encoded) == {unit.text for unit in _texts(build)}
    assert reused == 0


def test_encode_shard_what_learning_encoded_is_not_encoded_again(tmp_path: Path) -> None:
    build = _build(tmp_path / "b")
    some = _texts(build)[::2]
    vectors = FakeEncoder().encode([unit.text for unit in some]).astype(np.float16)
    # Marked, so that it shows where a vector comes from.
    save_vectors(build, FakeEncoder.fingerprint, [unit.unit_id for unit in some], 2 * vectors)
    encoder, reused = _encode(build)
    stored = {unit.unit_id for unit in some}
    new = [unit for unit in _texts(build) if unit.unit_id not in stored]
    assert sorted(encoder.encoded) == sorted({unit.text for unit in new})
    assert reused == 0
    stored = _vectors(build)
    for unit, vector in zip(some, vectors, strict=True):
        assert stored[unit.unit_id][1] == (2 * vector).tolist()


def test_encode_shard_equal_texts_of_a_page_are_encoded_once_beyond_a_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = _build(tmp_path / "b", SITES[3:4])
    monkeypatch.setattr(encode_units, "_TEXTS_PER_BATCH", 3)
    encoder, _ = _encode(build)
    assert len(encoder.encoded) == len(set(encoder.encoded)) == 2


def test_encode_shard_unfinished_parent_is_no_help_and_no_error(tmp_path: Path) -> None:
    parent = BuildDir(tmp_path / "parent")
    _, reused = _encode(_build(tmp_path / "b"), parent)
    assert reused == 0


def test_encode_shard_small_batches_give_the_same_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = _build(tmp_path / "one"), _build(tmp_path / "two")
    _encode(one)
    monkeypatch.setattr(encode_units, "_TEXTS_PER_BATCH", 3)
    _encode(two)
    assert _vectors(one) == _vectors(two)


def test_encode_shard_without_pages_writes_an_empty_table(tmp_path: Path) -> None:
    build = _build(tmp_path / "b", ())
    encoder, _ = _encode(build)
    assert encoder.encoded == []
    assert pq.read_schema(build.part(VECTORS, 0)).equals(vectors_schema(64, DIMENSION))


def test_vectors_of_a_build_that_was_never_published_are_taken_from_its_finished_shards(
    tmp_path: Path,
) -> None:
    begun = _build(tmp_path / "begun", head=random_head(7))
    _encode(begun)
    done = {unit.unit_id for unit in unit_texts(begun, 1)}
    TaskResults.of(begun, ENCODE_STAGE).finish(1, StageCounts())
    fresh, build = _build(tmp_path / "fresh"), _build(tmp_path / "build")
    everything, _ = _encode(fresh)

    asked, reused = _encode(build, begun=begun)

    assert reused == len(done) > 0
    assert len(asked.encoded) < len(everything.encoded)
    assert _vectors(build) == _vectors(fresh)


@pytest.mark.parametrize("harm", ["encoder", "damaged"])
def test_vectors_that_are_no_use_are_made_again(tmp_path: Path, harm: str) -> None:
    begun, build = _build(tmp_path / "begun"), _build(tmp_path / "build")
    _encode(begun)
    TaskResults.of(begun, ENCODE_STAGE).finish(0, StageCounts())
    if harm == "encoder":
        replace(random_head(), encoder="another").save(begun.hash_head)
    else:
        begun.part(VECTORS, 0).write_bytes(b"PAR1")

    assert _encode(build, begun=begun)[1] == 0
