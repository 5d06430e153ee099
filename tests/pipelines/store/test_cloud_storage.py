"""A store in Cloud Storage, against an emulator: what test_object_store shows of S3 in detail."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from factmill.pipelines.cli.main import main
from factmill.pipelines.store.lock import BUILD, Lease
from factmill.schemas.errors import Locked, OptionError
from factmill.schemas.layout import Store
from factmill.schemas.storage.atomic import copy_folder
from factmill.schemas.storage.paths import parse_object_path
from tests.cloud_storage_server import BUCKET, cloud_storage_server
from tests.object_builds import FirstNight, arguments, assert_equal, hits, said

STORE, PAGES = f"gs://{BUCKET}/nights/store", f"gs://{BUCKET}/pages"


@pytest.fixture(autouse=True, scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with cloud_storage_server(tmp_path_factory.mktemp("objects") / "cache"):
        yield


@pytest.mark.parametrize("content", [b"", b"a\r\n\n", b"\x00\xff--\r\n--", bytes(300_000)])
def test_object_holds_what_was_put(content: bytes) -> None:
    path = parse_object_path(f"gs://{BUCKET}/objects/one")
    path.write_bytes(content)
    assert path.read_bytes() == content
    assert path.stat().st_size == len(content)


def test_object_is_put_where_there_is_none_and_once() -> None:
    path = parse_object_path(f"gs://{BUCKET}/objects/once")
    assert [path.create(b"first"), path.create(b"second")] == [True, False]
    assert path.read_bytes() == b"first"


def test_copy_in_the_store_has_the_same_tag_and_what_is_gone_is_not_there() -> None:
    folder = parse_object_path(f"gs://{BUCKET}/copies")
    (folder / "a").write_bytes(b"content")
    (folder / "b/c").copy_from(folder / "a")
    assert (folder / "a").stat() == (folder / "b/c").stat()
    assert [path.name for path in folder.iterdir()] == ["a", "b"]
    folder.remove_all([*folder.files(), folder / "none"])
    assert not folder.exists()
    with pytest.raises(FileNotFoundError):
        (folder / "a").read_bytes()


def test_bucket_that_is_not_there_is_a_wrong_option() -> None:
    with pytest.raises(OptionError, match="gs://no-such-bucket: there is no such bucket"):
        parse_object_path("gs://no-such-bucket/a").write_bytes(b"")


def test_store_is_locked_once() -> None:
    store = Store(parse_object_path(f"gs://{BUCKET}/locked"))
    with Lease.take(store, BUILD), pytest.raises(Locked):
        Lease.take(store, BUILD)


@pytest.mark.several_machines
def test_build_of_objects_is_one_of_files(
    night_of_files: FirstNight, small_encoder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    copy_folder(night_of_files.pages, parse_object_path(PAGES))
    here, there = night_of_files.store, Store(parse_object_path(STORE))
    assert main(arguments(STORE, PAGES, small_encoder, "--jobs", "1")) == 0
    assert_equal(here.published(), there.published())
    assert hits(here) == hits(there) != []
    assert said(capsys, "verify", STORE)["ok"]
    assert not said(capsys, *arguments(STORE, PAGES, small_encoder))["new"]
    assert said(capsys, "gc", STORE, "--keep", "1")["kept"] == {
        there.published().build_id: "published"
    }
