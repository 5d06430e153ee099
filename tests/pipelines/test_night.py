"""What happens to a store over nights that go wrong: every command as people run it, in order."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from factmill.pipelines.cli.main import main
from factmill.pipelines.store.lock import BUILD, Lease
from factmill.runtime import open_index
from factmill.schemas.layout import Store
from tests.conftest import SAMPLES

GONE = "Where can visitors leave their luggage?"


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    shutil.copytree(SAMPLES / "html" / "museum", folder)
    return folder


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    path = tmp_path / "questions.jsonl"
    rows = [
        {"id": f"q{n}", "question": GONE, "gold_ids": ["visitor-faq.html"]} for n in range(3)
    ] + [{"id": "q3", "question": "museum opening hours", "gold_ids": ["opening-hours.html"]}]
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


@dataclass(frozen=True)
class Builder:
    """`factmill build` of pages, or another command with its options."""

    pages: Path
    encoder: str

    def __call__(self, store: Store, *options: str, command: str = "build") -> int:
        return main([
            command, str(store.root), "--input", str(self.pages), "--encoder", self.encoder,
            "--shards", "2", "--jobs", "1", *options,
        ])  # fmt: skip


@pytest.fixture
def build(pages: Path, small_encoder: str) -> Builder:
    return Builder(pages, small_encoder)


def _json(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    capsys.readouterr()
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_build_that_finds_less_is_kept_until_somebody_publishes_it(
    tmp_path: Path, pages: Path, build: Builder, questions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = Store(tmp_path / "store")
    quality = ("--questions", str(questions))
    assert build(store, *quality) == 0
    good = store.published()
    report = json.loads((good.root / "60_quality/recall.json").read_text())
    assert (report["before"], report["after"], report["fell"]) == (None, 1.0, False)

    # Half of the crawl is missing: whole, but worse.
    (pages / "visitor-faq.html").unlink()
    for _ in range(2):
        capsys.readouterr()
        assert build(store, *quality) == 3
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        assert "recall@20 fell from 1.000 to 0.250 on 4 questions" in said
        assert store.published() == good
    assert len(store.builds()) == 2
    worse = store.builds()[1].build_id
    assert f"rollback {store.root} --to {worse}" in said
    report = json.loads((store.build(worse).root / "60_quality/recall.json").read_text())
    assert report["worse_ids"] == ["q0", "q1", "q2"]
    assert _json(capsys, "verify", str(store.root), "--build", worse)["ok"]

    # Somebody wants it all the same, and then not.
    assert main(["rollback", str(store.root), "--to", worse]) == 0
    assert store.published().build_id == worse
    assert build(store, *quality) == 0
    assert _json(capsys, "rollback", str(store.root))["build_id"] == good.build_id
    for command in ("build", "plan"):
        assert build(store, command=command) == 3
        assert f"nothing changed since {worse}, which was rolled back" in capsys.readouterr().err

    # The same pages in files that were written again.
    for page in pages.iterdir():
        os.utime(page, (1, 1))
    for command in ("build", "plan"):
        assert build(store, command=command) == 3
        assert f"the pages are those of {worse}, which was rolled back" in capsys.readouterr().err
    assert store.published() == good

    found = _json(capsys, "gc", str(store.root), "--keep", "1")
    assert found == {
        "removed": [], "kept": {good.build_id: "published", worse: "rolled back"}, "bytes_freed": 0,
    }  # fmt: skip


def test_second_build_at_once_stops_with_a_line_and_exit_code_4(
    tmp_path: Path, build: Builder, capsys: pytest.CaptureFixture[str]
) -> None:
    store = Store(tmp_path / "store")
    with Lease.take(store, BUILD):
        assert build(store) == 4
    said = capsys.readouterr().err
    assert said.startswith(f"factmill: {store.root}: process {os.getpid()} on ")
    assert said.count("\n") == 1
    assert store.builds() == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 40 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=40m", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("nothing may be mounted here")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_build_on_a_full_disk_stops_with_a_line_and_goes_on_later(
    small_disk: Path, pages: Path, build: Builder, capsys: pytest.CaptureFixture[str]
) -> None:
    store = Store(small_disk / "store")
    assert build(store) == 0
    before = store.published()
    shutil.copy(SAMPLES / "html" / "town" / "bridges.html", pages / "bridges.html")
    # Less and less room: the build ends in different jobs.
    for room in (8_000, 400_000):
        capsys.readouterr()
        status = os.statvfs(small_disk)
        (small_disk / "ballast").write_bytes(bytes(status.f_bavail * status.f_frsize - room))
        assert build(store) == 1
        said = capsys.readouterr().err
        assert "No space left on device; nothing was published" in said.splitlines()[-1]
        assert "Traceback" not in said
        assert store.published() == before
        assert open_index(store.root).search("museum", k=1)
        (small_disk / "ballast").unlink()
    assert build(store) == 0
    assert store.published() != before
    assert len(store.builds()) == 2
    assert _json(capsys, "verify", str(store.root))["ok"]
