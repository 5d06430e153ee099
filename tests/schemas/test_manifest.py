from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from factmill.schemas.errors import CorruptStore, WrongFormat
from factmill.schemas.layout import BuildDir
from factmill.schemas.manifest import FileEntry, Manifest, StageCounts, TableEntry, read_manifest


def manifest(**changes: Any) -> Manifest:
    values: dict[str, Any] = {
        "build_id": "b",
        "parent": None,
        "created_at": "2026-11-21T10:00:00+00:00",
        "code_version": "c",
        "configuration": {"shards": 4, "encoder": "e"},
        "fingerprints": {"settings": "f"},
        "tables": {"10_pages": TableEntry(3, (FileEntry("10_pages/x.parquet", 3, 99, "ab"),))},
        "counts": {"clean": StageCounts(5, 3, {"no_text": 2}, {"10_pages": 3})},
        "llm": {"calls": 0, "tokens_new": 0, "tokens_reused": 0},
        "timings": {"clean": 1.5},
    }
    return Manifest(**(values | changes))


def test_manifest_round_trip_keeps_everything(tmp_path: Path) -> None:
    build = BuildDir(tmp_path)
    manifest().write(build)

    assert read_manifest(build) == manifest()


def test_manifest_json_has_the_documented_keys(tmp_path: Path) -> None:
    build = BuildDir(tmp_path)
    manifest().write(build)

    raw = json.loads(build.manifest.read_text())

    assert sorted(raw) == [
        "build_id", "checksum", "code_version", "configuration", "counts", "created_at",
        "fingerprints", "format_version", "llm", "parent", "tables", "timings",
    ]  # fmt: skip
    assert raw["counts"]["clean"] == {
        "in": 5, "out": 3, "rejected": {"no_text": 2}, "produced": {"10_pages": 3},
    }  # fmt: skip


@pytest.mark.parametrize("version", [0, 1, 3, "2", None, [2]])
def test_manifest_of_another_format_is_refused_by_name(tmp_path: Path, version: Any) -> None:
    build = BuildDir(tmp_path)
    manifest(format_version=version).write(build)

    with pytest.raises(WrongFormat, match=re.escape(f"format {version!r}")):
        read_manifest(build)


def test_manifest_of_an_older_format_is_read_where_that_will_do(tmp_path: Path) -> None:
    build = BuildDir(tmp_path)
    manifest(format_version=1).write(build)

    assert read_manifest(build, oldest=1) == manifest(format_version=1)
    with pytest.raises(WrongFormat, match=r"format 1.*the next factmill build"):
        read_manifest(build, oldest=2)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"format_version": 2}', "[" * 100_000])
def test_file_that_is_not_a_manifest_is_corrupt(tmp_path: Path, text: str) -> None:
    build = BuildDir(tmp_path)
    build.manifest.write_text(text)

    with pytest.raises(CorruptStore):
        read_manifest(build)


def test_manifest_with_one_byte_flipped_is_refused_wherever_that_is(tmp_path: Path) -> None:
    build = BuildDir(tmp_path)
    manifest().write(build)
    content = build.manifest.read_bytes()
    blank = set(b" \n")

    for index, byte in enumerate(content):
        if byte in blank:
            continue  # says nothing
        build.manifest.write_bytes(content[:index] + bytes([byte ^ 1]) + content[index + 1 :])
        with pytest.raises((CorruptStore, WrongFormat)):
            read_manifest(build)


@pytest.mark.parametrize(
    "changes",
    [
        {"configuration": {"encoder": "e"}},
        {"configuration": {"encoder": "e", "shards": "4"}},
        {"configuration": {"encoder": "e", "shards": 10**12}},
        {"configuration": {"encoder": "e", "shards": True}},
        {"configuration": {"encoder": 7, "shards": 4}},
        {"configuration": []},
        {"fingerprints": []},
        {"fingerprints": None},
        {"fingerprints": {"settings": 5}},
        {"tables": {"t": TableEntry("3", ())}},
        {"tables": {"t": TableEntry(3, (FileEntry(5, 3, 99, "ab"),))}},
        {"tables": {"t": TableEntry(3, (FileEntry("a\0b", 3, 99, "ab"),))}},
        {"tables": {"t": TableEntry(3, (FileEntry("a", 3, None, "ab"),))}},
        {"counts": {"clean": StageCounts(5, "3")}},
        {"counts": {"clean": StageCounts(5, 3, {"a": "b"})}},
    ],
)
def test_manifest_of_other_types_is_corrupt(tmp_path: Path, changes: dict[str, Any]) -> None:
    build = BuildDir(tmp_path)
    manifest(**changes).write(build)

    with pytest.raises(CorruptStore, match="not a manifest"):
        read_manifest(build)


def test_stage_that_a_manifest_does_not_count_has_zeros() -> None:
    assert replace(manifest(), counts={}).counted("clean") == StageCounts()


def test_manifest_without_checksum_is_read_of_format_1_only(tmp_path: Path) -> None:
    build = BuildDir(tmp_path)
    manifest(format_version=1).write(build)
    raw = json.loads(build.manifest.read_text())
    del raw["checksum"]
    build.manifest.write_text(json.dumps(raw))
    assert read_manifest(build, oldest=1) == manifest(format_version=1)

    build.manifest.write_text(json.dumps(raw | {"format_version": 2}))
    with pytest.raises(CorruptStore, match="not what was written"):
        read_manifest(build, oldest=1)


def _file(path: str) -> dict[str, Any]:
    return {"tables": {"t": TableEntry(3, (FileEntry(path, 3, 99, "ab"),))}}


@pytest.mark.parametrize(
    "changes",
    [
        _file("t/shard=004/part-000.parquet"),
        _file("t/shard=-01/part-000.parquet"),
        _file("t/shard=x/part-000.parquet"),
        _file("t/shard=²/part-000.parquet"),
        _file("/etc/passwd"),
        _file("t/../../x"),
        _file("t//x"),
        _file(""),
        _file("t/" + "x" * 256),
        _file("é" * 200),
        _file("t/" * 600 + "x"),
        _file("t/\ud800"),
        {"configuration": {"shards": 4, "encoder": "\ud800"}},
        {"configuration": {"shards": 4, "encoder": "e" * 5000}},
        {"configuration": {"shards": 4, "encoder": "e\0"}},
        {"parent": "\udfff"},
    ],
)
def test_manifest_with_a_name_that_none_can_have_is_one_line_of_unicode(
    tmp_path: Path, changes: dict[str, Any]
) -> None:
    build = BuildDir(tmp_path)
    manifest(**changes).write(build)

    with pytest.raises(CorruptStore, match="not a manifest") as caught:
        read_manifest(build)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value).encode()) < 1000


def test_manifest_too_long_to_be_one_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = BuildDir(tmp_path)
    manifest().write(build)
    monkeypatch.setattr("factmill.schemas.manifest._MAX_BYTES", build.manifest.stat().st_size - 1)

    with pytest.raises(CorruptStore, match="longer than a manifest"):
        read_manifest(build)


def test_manifest_missing_is_an_incomplete_build(tmp_path: Path) -> None:
    with pytest.raises(CorruptStore, match="incomplete"):
        read_manifest(BuildDir(tmp_path))


def test_counts_add_by_stage_and_reason() -> None:
    total = StageCounts(3, 2, {"a": 1}, {"t": 2}) + StageCounts(4, 1, {"a": 1, "b": 2}, {"t": 1})

    assert total == StageCounts(7, 3, {"a": 2, "b": 2}, {"t": 3})
    assert total.balanced


def test_counts_that_lost_a_record_are_not_balanced() -> None:
    assert not StageCounts(3, 1, {"a": 1}).balanced
