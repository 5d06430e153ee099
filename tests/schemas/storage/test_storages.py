"""What holds of files of this machine as of objects."""

from __future__ import annotations

import secrets
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from factmill.schemas.errors import CorruptStore
from factmill.schemas.storage.atomic import (
    discard,
    link_file,
    overwrite,
    put_if_absent,
    remove_all,
    remove_tree,
    same_bytes,
    same_file,
    shared_names,
    whole_file,
    write_text,
)
from factmill.schemas.storage.object_paths import ObjectPath
from factmill.schemas.storage.paths import (
    StoragePath,
    files_below,
    local_copy,
    local_view,
    matching,
    name_below,
    read_start,
    read_texts,
)


def test_local_view_holds_the_files_that_were_named_and_refuses_others(
    folder: ObjectPath, tmp_path: Path
) -> None:
    for root in (folder, tmp_path / "folder"):
        write_text(root / "deep/a", "aa")
        write_text(root / "b", "b")
        with local_view(root, [("deep/a", 2), ("b", 1)]) as here:
            assert here.name == "folder"
            assert (here / "deep/a").read_text() == "aa"
        for files in ([("b", 2)], [("none", 1)]):
            with pytest.raises(CorruptStore), local_view(root, files):
                pass
        with pytest.raises(CorruptStore, match="1 bytes, not 2"):
            local_copy(root / "b", size=2)
        with pytest.raises(FileNotFoundError):
            local_copy(root / "none", size=1)
    with pytest.raises(CorruptStore), local_view(folder, [("../b", 1)]):
        pass


def test_put_if_absent_is_given_to_one(folder: ObjectPath, tmp_path: Path) -> None:
    for root in (folder, tmp_path):
        assert put_if_absent(root / "lock", b"1")
        assert not put_if_absent(root / "lock", b"2")
        assert (root / "lock").read_bytes() == b"1"
        overwrite(root / "lock", b"longer")
        overwrite(root / "lock", b"3")
        assert read_start(root / "lock", 10) == b"3"


_NAMES = st.sampled_from(["a", "b", "deep/a", "deep/b", "deep/er/a", "deep/er/b.x"])


_STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), _NAMES, st.text("xyz", max_size=3)),
        st.tuples(st.just("link"), _NAMES, _NAMES),
        st.tuples(st.just("remove"), _NAMES, st.just("")),
        st.tuples(st.just("discard"), st.sampled_from(["deep", "deep/er"]), st.just("")),
    ),
    max_size=12,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=_STEPS)
def test_folder_of_objects_is_like_a_folder(
    folder: ObjectPath, tmp_path: Path, steps: list[tuple[str, str, str]]
) -> None:
    here, there = tmp_path / secrets.token_hex(4), folder / secrets.token_hex(4)
    here.mkdir()
    for step, name, value in steps:
        for root in (here, there):
            path: StoragePath = root / name
            if step == "write":
                with whole_file(path) as temporary:
                    temporary.write_text(value)
            elif step == "link" and path.is_file():
                link_file(path, root / value)
            elif step == "remove":
                remove_all([path])
            elif step == "discard":
                discard(path)

    def seen(root: StoragePath) -> object:
        files = files_below(root)
        return (
            [name_below(path, root) for path in files],
            read_texts(files),
            [path.stat().st_size for path in files],
            [name_below(path, root) for path in matching(root / "deep", "*.x")],
            [same_bytes(a, b) for a in files for b in files],
            {name: (root / name).is_file() for name in ("a", "deep", "deep/er/a", "none")},
            [local_copy(path).read_text() for path in files],
        )

    assert seen(here) == seen(there)
    assert remove_tree(there) == sum(path.stat().st_size for path in files_below(here))
    assert files_below(there) == []


def test_shared_names_are_those_of_linked_files(tmp_path: Path) -> None:
    """Of objects, tests/pipelines/store/test_object_store.py: this bucket tells no copy from
    another object."""
    one, other = tmp_path / "one", tmp_path / "other"
    for name in ("a", "deep/b", "c"):
        write_text(one / name, name)
        link_file(one / name, other / name)
    write_text(other / "c", "c")
    link_file(one / "a", other / "deep/a")
    assert shared_names(one, other) == {"a", "deep/b"}
    assert shared_names(one, tmp_path / "none") == set()


@pytest.mark.parametrize("kind", ["folder", "objects"])
def test_files_of_two_storages_are_never_one(folder: ObjectPath, tmp_path: Path, kind: str) -> None:
    here, there = tmp_path / "file", folder / "file"
    write_text(here, "same")
    write_text(there, "same")
    a, b = (here, there) if kind == "folder" else (there, here)
    assert not same_file(a, b)
    assert same_bytes(a, b)
