from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmill.schemas.ids import content_id
from factmill.schemas.layout import BuildDir
from factmill.transforms.encode.reused_vectors import StoredVectors, save_vectors, saved_vectors

ENCODER = "encoder-1"
IDS = [content_id("test", str(n)) for n in range(50)]
VECTORS = np.random.default_rng(1).normal(size=(50, 6)).astype(np.float16)


def test_saved_vectors_are_found_by_id_whatever_their_order(tmp_path: Path) -> None:
    build = BuildDir(tmp_path)
    save_vectors(build, ENCODER, IDS, VECTORS)
    stored = saved_vectors(build, ENCODER)
    assert stored is not None
    wanted = [IDS[7], content_id("test", "another"), IDS[0], IDS[49], IDS[7]]
    found = stored.find(wanted)
    assert (found < 0).tolist() == [False, True, False, False, False]
    assert (stored.vectors[found[found >= 0]] == VECTORS[[7, 0, 49, 7]]).all()
    assert stored.vectors.dtype == np.float16
    assert not stored.vectors.flags.owndata


def test_saved_vectors_of_another_encoder_or_none_are_no_help(tmp_path: Path) -> None:
    build = BuildDir(tmp_path)
    assert saved_vectors(build, ENCODER) is None
    save_vectors(build, ENCODER, IDS, VECTORS)
    assert saved_vectors(build, "encoder-2") is None


def test_save_vectors_again_replaces_and_a_failure_leaves_what_was_there(tmp_path: Path) -> None:
    build = BuildDir(tmp_path)
    save_vectors(build, ENCODER, IDS, VECTORS)
    with pytest.raises(IndexError):
        save_vectors(build, ENCODER, IDS, VECTORS[:3])
    stored = saved_vectors(build, ENCODER)
    assert stored is not None
    assert len(stored.ids) == 50
    save_vectors(build, ENCODER, IDS[:2], VECTORS[:2])
    again = saved_vectors(build, ENCODER)
    assert again is not None
    assert (again.find(IDS[:3]) < 0).tolist() == [False, False, True]
    assert [path.name for path in build.work.iterdir()] == ["vectors.arrow"]


def test_saved_vectors_of_no_units_know_nothing(tmp_path: Path) -> None:
    build = BuildDir(tmp_path)
    save_vectors(build, ENCODER, [], VECTORS[:0])
    stored = saved_vectors(build, ENCODER)
    assert stored is not None
    assert stored.find(IDS[:2]).tolist() == [-1, -1]


@given(st.sets(st.integers(0, 60)), st.lists(st.integers(0, 60)))
def test_find_agrees_with_a_dictionary(stored: set[int], wanted: list[int]) -> None:
    names = {n: content_id("n", str(n)) for n in range(61)}
    order = np.random.default_rng(len(stored)).permutation(len(stored))
    by_row = {names[n]: int(row) for n, row in zip(sorted(stored), order, strict=True)}
    ids = sorted(by_row)
    vectors = np.zeros((len(ids), 1), np.float16)
    rows = np.array([by_row[name] for name in ids], dtype=np.int64)
    table = StoredVectors(np.array(ids, dtype="S32"), rows, vectors)
    found = table.find([names[n] for n in wanted])
    assert found.tolist() == [by_row.get(names[n], -1) for n in wanted]
