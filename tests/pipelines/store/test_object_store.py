"""Nights in an object store, against a real server: it does what a store in a folder does."""

from __future__ import annotations

import gzip
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from factmill.pipelines.cli.main import main
from factmill.pipelines.store.lock import BUILD, Lease
from factmill.runtime.follow import follow_index
from factmill.schemas.errors import CorruptStore, FactmillError, OptionError
from factmill.schemas.layout import INDEX, Store
from factmill.schemas.manifest import read_manifest
from factmill.schemas.storage.atomic import shared_names
from factmill.schemas.storage.object_paths import ObjectPath
from factmill.schemas.storage.paths import parse_storage_path
from factmill.transforms.inputs.discovery import find_inputs, plan_splits
from tests.conftest import ROOT
from tests.object_builds import QUERY, FirstNight, arguments, assert_equal, hits, said
from tests.object_server import BUCKET, ObjectServer, object_server

_SECONDS = 120
STORE, PAGES = f"s3://{BUCKET}/nights/store", f"s3://{BUCKET}/pages"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObjectServer]:
    with object_server(tmp_path_factory.mktemp("objects") / "cache") as found:
        yield found


@pytest.fixture(scope="module")
def pages(
    tmp_path_factory: pytest.TempPathFactory, server: ObjectServer, night_of_files: FirstNight
) -> Path:
    """Pages here, and the same in the object store."""
    folder = tmp_path_factory.mktemp("input") / "pages"
    shutil.copytree(night_of_files.pages, folder)
    server.put_folder(folder, "pages")
    return folder


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory, night_of_files: FirstNight) -> Store:
    """A store in a folder with the first night."""
    folder = tmp_path_factory.mktemp("here") / "store"
    shutil.copytree(night_of_files.store.root, folder)
    return Store(folder)


@pytest.fixture(scope="module")
def there(pages: Path, small_encoder: str) -> Store:
    """A store in the object store with the first night."""
    assert pages.is_dir()
    assert main(arguments(STORE, PAGES, small_encoder, "--jobs", "1")) == 0
    return Store(parse_storage_path(STORE))


@pytest.mark.several_machines
def test_build_of_objects_is_what_a_build_of_files_to_files_is(
    here: Store, there: Store, server: ObjectServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert_equal(here.published(), there.published())
    assert hits(here) == hits(there) != []
    keys = server.keys("nights/store/")
    assert not [key for key in keys if "/.work/" in key or key.endswith(".tmp")]
    assert any(key.endswith("70_report/report.html") for key in keys)
    assert all(b"secret" not in server.get(key) for key in keys if key.endswith(".json"))
    server.asked.clear()
    assert said(capsys, "verify", STORE)["ok"]
    files = sum(len(entry.files) for entry in read_manifest(there.published()).tables.values())
    assert server.asked["HEAD"] < files, "most are listed, and none is asked for twice"
    rows = said(capsys, "inspect", STORE, "--sql", "select count(*) as n from pages")["rows"]
    assert rows == [{"n": 5}]


@pytest.mark.several_machines
@pytest.mark.usefixtures("pages")
def test_killed_and_resumed_build_of_objects_is_what_a_build_of_files_to_files_is(
    here: Store, small_encoder: str, server: ObjectServer
) -> None:
    name = f"s3://{BUCKET}/killed/store"
    cleaned = server.awaited("/progress/clean-shards/")
    running = subprocess.Popen(
        [sys.executable, "-m", "factmill", *arguments(name, PAGES, small_encoder, "--jobs", "1")],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, start_new_session=True,
    )  # fmt: skip
    try:
        assert cleaned.wait(_SECONDS), "it was never as far as that"
        assert running.poll() is None, "it ended before it could be killed"
    finally:
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()
    store = Store(parse_storage_path(name))
    (begun,) = store.builds()

    assert main(arguments(name, PAGES, small_encoder, "--jobs", "1")) == 0

    assert store.published() == begun
    assert_equal(here.published(), store.published())
    assert hits(here) == hits(store)
    keys = server.keys("killed/store/")
    assert not [key for key in keys if "/.work/" in key or key.endswith(".tmp")]


@pytest.mark.several_machines
def test_night_with_nothing_new_publishes_nothing(
    there: Store, small_encoder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before, builds = there.published(), there.builds()
    assert not said(capsys, *arguments(STORE, PAGES, small_encoder))["new"]
    assert (there.published(), there.builds()) == (before, builds)


@pytest.mark.several_machines
def test_second_build_at_once_stops_with_a_line_and_exit_code_4(
    there: Store, small_encoder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with Lease.take(there, BUILD):
        assert main(arguments(STORE, PAGES, small_encoder)) == 4
    said = capsys.readouterr().err
    assert said.startswith(f"factmill: {STORE}: process {os.getpid()} on ")
    assert said.count("\n") == 1


@pytest.mark.several_machines
def test_second_night_shares_by_copies_in_the_store_and_can_be_taken_back(
    here: Store, there: Store, pages: Path, small_encoder: str, server: ObjectServer,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    first = there.published()
    page = pages / "bridges.html"
    page.write_text(
        page.read_text().replace("</body>", "<p>A new bridge opened in 1999.</p></body>")
    )
    server.put("pages/bridges.html", page.read_bytes())
    assert main(arguments(str(here.root), str(pages), small_encoder, "--jobs", "1")) == 0
    server.asked.clear()
    # A machine that has nothing yet.
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FACTMILL_CACHE", f"{os.environ['FACTMILL_CACHE']}-other")
        assert main(arguments(STORE, PAGES, small_encoder, "--jobs", "1")) == 0
    second = there.published()
    assert second != first
    assert server.asked["COPY"] > 0
    assert_equal(here.published(), second)
    assert hits(here) == hits(there)
    tables = read_manifest(second).tables
    shared = [f.path for f in tables[INDEX].files if f in read_manifest(first).tables[INDEX].files]
    assert shared
    names = shared_names(second.root, first.root)
    assert names >= set(shared)
    assert "manifest.json" not in names
    assert said(capsys, "verify", STORE)["ok"]

    assert said(capsys, "rollback", STORE)["build_id"] == first.build_id
    assert there.published() == first
    assert said(capsys, "rollback", STORE, "--to", second.build_id)["build_id"] == second.build_id
    kept = said(capsys, "gc", STORE, "--keep", "1")["kept"]
    assert kept == {second.build_id: "published", first.build_id: "complete"}


@pytest.mark.several_machines
def test_damaged_object_is_a_named_error_and_the_old_build_serves(
    there: Store, server: ObjectServer, capsys: pytest.CaptureFixture[str]
) -> None:
    good = there.published()
    (other,) = [build for build in there.builds() if build != good]
    assert isinstance(other.root, ObjectPath)
    refused: list[FactmillError] = []
    with follow_index(STORE, seconds=600, check="checksums", on_refused=refused.append) as index:
        name = f"{other.root.key.partition('/')[2]}/{INDEX}/shard=000/rows.arrow"
        whole = server.get(name)
        for damaged in (whole[:-100], whole[:100] + b"?" + whole[101:], None):
            if damaged is None:
                server.client.delete_object(Bucket=BUCKET, Key=name)
            else:
                server.put(name, damaged)
            there.publish(other)
            assert not index.refresh()
            assert isinstance(index.refused, CorruptStore)
            assert "rows.arrow" in str(index.refused)
            assert index.index.build == good
            assert index.search(QUERY, k=1)
            assert not said(capsys, "verify", STORE, code=1)["ok"]
            there.publish(good)
            assert not index.refresh()
        assert len(refused) == 3
        server.put(name, whole)
        there.publish(other)
        assert index.refresh()
        assert index.index.build == other
    there.publish(good)


@pytest.mark.parametrize(
    ("store", "says"),
    [
        ("ftp://host/store", "neither a folder nor s3://"),
        ("s3://", "not s3://BUCKET/NAME"),
        (f"s3://{BUCKET}/../x", "not s3://BUCKET/NAME"),
        (f"s3://{BUCKET}//x", "not s3://BUCKET/NAME"),
        ("s3://no-such-bucket/store", "there is no such bucket"),
    ],
)
@pytest.mark.usefixtures("pages")
def test_store_that_cannot_be_is_a_line_and_exit_code_2(
    store: str, says: str, small_encoder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code: Any = main(arguments(store, PAGES, small_encoder))
    except SystemExit as exit:
        code = exit.code
    said = capsys.readouterr().err
    assert code == 2
    assert says in said
    assert said.count("\n") == 1


def test_objects_make_the_splits_that_files_make(server: ObjectServer, tmp_path: Path) -> None:
    folder = tmp_path / "kinds"
    (folder / "deep/er").mkdir(parents=True)
    (folder / ".hidden").mkdir()
    (folder / "a.html").write_text("<html><p>A page.</p></html>")
    (folder / "deep/er/b.md").write_text("# B")
    (folder / "deep/[c] d.jsonl.gz").write_bytes(gzip.compress(b'{"text": "C"}\n' * 50_000))
    (folder / ".hidden/e.html").write_text("<html></html>")
    (folder / "empty.txt").write_text("")
    (folder / "sitemap.xml").write_text(
        "<urlset><url><loc>https://example.org/a.html</loc></url></urlset>"
    )
    # Its kind shows behind a dictionary that takes up all of the beginning.
    dictionary = os.urandom(100_000)
    packed = zstandard.ZstdCompressor(
        dict_data=zstandard.ZstdCompressionDict(dictionary, zstandard.DICT_TYPE_RAWCONTENT)
    ).compress(b"WARC/1.0\r\n")
    frame = b"\x5d\x2a\x4d\x18" + len(dictionary).to_bytes(4, "little") + dictionary
    (folder / "f.warc.zst").write_bytes(frame + packed)
    pq.write_table(pa.table({"text": ["x"] * 5000}), folder / "g.parquet", row_group_size=500)
    server.put_folder(folder, "kinds")

    def splits(root: str, pattern: str) -> list[object]:
        found = plan_splits(find_inputs([f"{root}/{pattern}".rstrip("/")]))
        return [
            (s.kind, [(f.name, f.size) for f in s.files], s.row_start, s.row_stop, s.locations)
            for s in found
        ]

    for pattern in ("", "*", "**/*.md", "deep/*", "a.html", "?.html", "deep/[[]*", "[a-f].*"):
        here = splits(str(folder), pattern)
        assert here
        assert splits(f"s3://{BUCKET}/kinds", pattern) == here, pattern


def test_store_below_an_input_url_is_no_input(server: ObjectServer, tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    build = folder / "store" / "builds" / "20240101T000000000Z-0123abcd"
    for path in (build / "00_settings" / "build.json", build / "x.html", folder / "a.html"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("<p>A page.</p>")
    server.put_folder(folder, "crawl-with-store")

    root = f"s3://{BUCKET}/crawl-with-store"
    for pattern in ("", "/*", "/**/*.html"):
        assert [file.name for file in find_inputs([root + pattern])] == ["a.html"]
    assert [file.name for file in find_inputs([f"{root}/store/builds/*/*.html"])]


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("s3://b*/x", "no bucket"),
        ("ftp://a/x", "neither a folder nor"),
        ("s3://a/../*", "not s3://"),
    ],
)
def test_invalid_input_url_is_an_option_error(url: str, says: str) -> None:
    with pytest.raises(OptionError, match=f"--input .*{says}"):
        find_inputs([url])


@pytest.mark.parametrize("url", [f"s3://{BUCKET}/none", f"s3://{BUCKET}/pages/*.nothing"])
def test_input_that_is_not_there_is_a_line_and_exit_code_2(
    url: str, server: ObjectServer, small_encoder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments(f"s3://{BUCKET}/unused", url, small_encoder)) == 2
    assert capsys.readouterr().err == f"factmill: --input {url}: no such object\n"
    assert server.keys("unused") == []


@pytest.mark.usefixtures("server")
def test_server_that_is_gone_is_a_line_and_exit_code_1(tmp_path: Path) -> None:
    program = (
        "import sys, s3fs; s3fs.S3FileSystem.retries = 1;"
        "from factmill.pipelines.cli.main import main;"
        f"sys.exit(main(['search', '{STORE}', 'x']))"
    )
    environment = os.environ | {
        "PYTHONPATH": str(ROOT), "AWS_ENDPOINT_URL": "http://127.0.0.1:9", "AWS_MAX_ATTEMPTS": "1",
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True,
        check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith(f"factmill: {STORE}/CURRENT: ")
    assert done.stderr.count("\n") == 1
