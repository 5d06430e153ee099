from __future__ import annotations

import io
import json
import re
import shutil
from dataclasses import replace

import pytest

from factmill.pipelines.cli.main import main
from factmill.schemas.layout import BuildDir
from factmill.schemas.manifest import read_manifest
from tests.runtime.tiny_build import BITS, SITES, tiny_build


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> BuildDir:
    """The published one of a store that has another, `earlier`, with pages instead of segments."""
    build = tiny_build(tmp_path_factory.mktemp("inspect") / "store")
    earlier = build.store.build("earlier")
    shutil.copytree(build.root, earlier.root)
    for shard in range(2):
        shutil.rmtree(earlier.shard("11_segments", shard))
        shutil.copytree(earlier.shard("10_pages", shard), earlier.shard("11_segments", shard))
    replace(read_manifest(build), build_id="earlier").write(earlier)
    return build


def test_inspect_codes_in_json_are_hexadecimal(
    build: BuildDir, capsys: pytest.CaptureFixture[str]
) -> None:
    sql = "select code, [code] as codes from vectors"
    assert main(["inspect", str(build.store.root), "--json", "--sql", sql]) == 0
    for row in json.loads(capsys.readouterr().out)["rows"]:
        assert re.fullmatch(f"[0-9a-f]{{{BITS // 4}}}", row["code"])
        assert row["codes"] == [row["code"]]


def test_inspect_ids_are_not_cut_in_a_narrow_table(
    build: BuildDir, capsys: pytest.CaptureFixture[str]
) -> None:
    sql = "select * from segments"
    assert main(["inspect", str(build.store.root), "--sql", sql]) == 0
    assert "…" not in capsys.readouterr().out


def test_inspect_another_build_by_its_id(
    build: BuildDir, capsys: pytest.CaptureFixture[str]
) -> None:
    store, sql = str(build.store.root), "select count(*) as n from segments where source_id > ''"
    assert main(["inspect", store, "--json", "--build", "earlier", "--sql", sql]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == [{"n": len(SITES)}]
    assert main(["inspect", store, "--json", "--sql", sql]) == 2
    assert main(["inspect", store, "--json", "--sql", ""]) == 2


@pytest.mark.parametrize("name", ["..", "nothing-here", "a/b"])
def test_inspect_build_that_is_not_there_is_an_option_error(
    build: BuildDir, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    assert main(["inspect", str(build.store.root), "--build", name]) == 2
    assert f"--build {name}: " in capsys.readouterr().err


def test_inspect_json_is_json_for_every_number_and_keeps_columns_of_one_name(
    build: BuildDir, capsys: pytest.CaptureFixture[str]
) -> None:
    sql = "select 'nan'::double a, ['inf'::double, 1.5] a, 3 a_1, map {1.5: 'nan'::float} m"
    assert main(["inspect", str(build.store.root), "--json", "--sql", sql]) == 0

    found = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert found["columns"] == ["a", "a_1", "a_1_1", "m"]
    assert found["rows"] == [{"a": None, "a_1": [None, 1.5], "a_1_1": 3, "m": {"1.5": None}}]


def test_output_in_ascii_has_escapes_and_json_stays_json(
    build: BuildDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    def printed(*arguments: str) -> str:
        written = io.BytesIO()
        monkeypatch.setattr("sys.stdout", io.TextIOWrapper(written, encoding="ascii"))
        main(arguments)
        return written.getvalue().decode("ascii")

    arguments = ["inspect", str(build.store.root), "--sql", "select 'caf\u00e9 \U0001f5fc' as a"]
    assert r"caf\xe9 \U0001f5fc" in printed(*arguments)
    assert json.loads(printed(*arguments, "--json"))["rows"] == [{"a": "caf\u00e9 \U0001f5fc"}]
    failure = json.loads(printed("search", "caf\u00e9", "x", "--json"))
    assert failure["error"]["message"].endswith("caf\u00e9: nothing is published there")
