from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from factmill.pipelines.cli import diff_command
from factmill.pipelines.cli.main import main
from factmill.schemas.layout import BuildDir, Store
from factmill.schemas.manifest import read_manifest
from factmill.transforms.report.build_changes import BuildChanges, SiteChange, build_changes
from tests.compared_builds import compared_builds
from tests.runtime.tiny_build import SITES, tiny_build

Pair = tuple[BuildDir, BuildDir]


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Pair:
    return compared_builds(tmp_path_factory.mktemp("diff") / "store")


def _diff(build: BuildDir, *options: str) -> int:
    return main(["diff", str(build.store.root), *options])


def test_diff_compares_the_published_build_with_its_parent(
    pair: Pair, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _diff(pair[1], "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["from"], found["to"]) == ("before", "after")
    assert found["pages"] == {"before": 6, "after": 5, "added": 1, "changed": 1, "removed": 2}
    assert [site["site"] for site in found["sites"]][:2] == ["lights.example", "dock.example"]
    assert found["rejects"][1] == {
        "stage": "clean", "reason": "near_duplicate", "before": 0, "after": 1,
    }  # fmt: skip


def test_diff_of_named_builds_is_a_table_in_their_order(
    pair: Pair, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _diff(pair[1], "--from", "after", "--to", "before") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "from after to before"
    rows = [line.split() for line in lines]
    assert ["pages", "5", "6", "2", "1", "1"] in rows
    assert ["segments", "8", "9", "3", "0", "2"] in rows
    assert ["clean", "near_duplicate", "1", "0"] in rows
    assert not [row for row in rows if row[:2] == ["clean", "bad_json"]], "it did not change"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--to", "nothing-here"], "--to nothing-here: no complete build of this id"),
        (["--from", "../x"], "--from ../x: not a build id"),
    ],
)
def test_diff_of_builds_that_are_not_there_is_one_line(
    pair: Pair, capsys: pytest.CaptureFixture[str], options: list[str], says: str
) -> None:
    assert _diff(pair[1], *options) == 2
    printed = capsys.readouterr().err
    assert says in printed
    assert printed.count("\n") == 1


def test_diff_of_a_build_from_scratch_is_with_the_one_published_before(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = Store(tmp_path / "store")
    builds = [store.build(f"b{number}") for number in range(4)]
    whole = tiny_build(store.root, SITES[:2], name="b0")
    for build in builds[1:]:
        shutil.copytree(whole.root, build.root)
        replace(read_manifest(whole), build_id=build.build_id).write(build)
    store.publish(builds[3])
    builds[1].work.mkdir()  # it was refused
    (builds[2].root / ".rolled_back").touch()
    assert _diff(builds[3], "--json") == 0
    assert json.loads(capsys.readouterr().out)["from"] == "b0"
    assert _diff(builds[3], "--to", "b0") == 2
    said = capsys.readouterr().err
    assert said == "factmill: no build was published before b0; name one with --from\n"


def test_diff_of_a_build_whose_parent_is_gone_or_damaged_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, after = compared_builds(tmp_path / "store")
    for path in before.root.glob("10_pages/*/*.parquet"):
        path.write_bytes(b"PAR1 and nothing else")
    assert _diff(after) == 1
    assert capsys.readouterr().err.count("\n") == 1
    before.manifest.unlink()
    assert _diff(after) == 2
    assert "the parent of after, before, is gone" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("count", "more"), [(20, []), (21, ["and 1 more site"]), (22, ["and 2 more sites"])]
)
def test_diff_counts_the_sites_that_it_does_not_show(
    count: int,
    more: list[str],
    pair: Pair,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    sites = tuple(SiteChange(f"{n}.example", 1, 0, 0, 1, 0, 1, 0) for n in range(count))

    def with_sites(*arguments: Any) -> BuildChanges:
        return replace(build_changes(*arguments), sites=sites, site_count=count)

    monkeypatch.setattr(diff_command, "build_changes", with_sites)

    assert _diff(pair[1]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert sum(".example" in line and line[0].isdigit() for line in lines) == 20
    assert [line for line in lines if "more site" in line] == more
