"""A build that takes over what it can holds what a build from nothing holds, to the byte."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from factmill.schemas.layout import Store
from tests.nightly import Counting, Nights, all_rows, found, tables_differ

NAMES = ("Gannet Rock", "Tarn Quay", "Otter Bridge", "Hollin Farm", "Skerrow Point", "Weaver Mill")
# On many pages of a site: left out of all of them, so one page more or less changes the others.
NOTICE = "All opening times are given without any warranty."
QUERIES = ("When was Tarn Quay built?", "Who designed Otter Bridge?", "warranty")


def page(number: int, version: int, notice: bool = True) -> dict[str, Any]:
    """A page of a small site. Versions 0 and 1 of a page are near-duplicates of no other; version 2
    says the same on every page, so all but one are duplicates."""
    name = NAMES[number % len(NAMES)]
    text = (
        f"{name} was built in {1800 + 7 * number + version}. "
        f"It was designed by Agnes Teague{' and Rhys Pell' * version}.\n"
        f"{name} has {number + 3} rooms. Agnes Teague was born in Port Ness."
    )
    if version == 2:
        text = "The tide tables of the harbour are printed every month by the harbour master."
    if notice:
        text += f"\n{NOTICE}"
    return {
        "id": f"id-{number}", "url": f"http://a.example/{number}", "title": name, "text": text,
        "fetched_at": "2024-01-02T00:00:00Z",
    }  # fmt: skip


@dataclass
class Crawl:
    """The records of a night, by file."""

    folder: Path
    files: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    def write(self) -> Path:
        self.folder.mkdir(exist_ok=True)
        for path in self.folder.iterdir():
            path.unlink()
        for name, records in self.files.items():
            lines = "".join(json.dumps(record) + "\n" for record in records)
            (self.folder / name).write_text(lines or "\n")
        return self.folder


@pytest.fixture
def nights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Nights:
    return Nights(Store(tmp_path / "store"), monkeypatch)


def crawl_of(tmp_path: Path, pages: int = 12) -> Crawl:
    records = [page(number, 0) for number in range(pages)]
    return Crawl(tmp_path / "in", {"a.jsonl": records[::2], "b.jsonl": records[1::2]})


_EDITS = st.lists(
    st.tuples(
        st.sampled_from(["edit", "add", "delete", "move", "swap", "rename", "capture", "broken"]),
        st.integers(0, 14),
        st.integers(0, 2),
    ),
    min_size=1,
    max_size=6,
)


def change(crawl: Crawl, kind: str, number: int, version: int) -> None:
    """One change of the crawl; what names no page of it changes nothing."""
    a, b = crawl.files["a.jsonl"], crawl.files["b.jsonl"]
    records = [(file, n) for file in (a, b) for n in range(len(file))]
    if kind == "add":
        (a if number % 2 else b).append(page(number, version))
    elif kind == "broken":
        a.insert(0, {"id": f"broken-{version}"})
    elif records:
        file, n = records[number % len(records)]
        record = file[n]
        if kind == "edit":
            of_page = int(record.get("url", "/0").rsplit("/", 1)[1])
            file[n] = page(of_page, version, notice=version != 1)
        elif kind == "delete":
            del file[n]
        elif kind == "move":
            del file[n]
            (b if file is a else a).insert(0, record)
        elif kind == "swap":
            other, m = records[version % len(records)]
            file[n], other[m] = other[m], file[n]
        elif kind == "rename":
            file[n] = {**record, "url": f"http://a.example/{20 + number}"}
        else:
            file.append({**record, "id": f"again-{version}", "fetched_at": "2024-01-05T00:00:00Z"})


@settings(
    max_examples=3,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    # An example takes seconds, and finding a smaller one would take minutes.
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
@given(nights_of_edits=st.lists(_EDITS, min_size=2, max_size=2))
def test_any_edits_night_after_night_give_what_a_full_build_gives(
    tmp_path_factory: pytest.TempPathFactory,
    nights_of_edits: list[list[tuple[str, int, int]]],
) -> None:
    tmp_path = tmp_path_factory.mktemp("edits")
    with pytest.MonkeyPatch.context() as monkeypatch:
        nights = Nights(Store(tmp_path / "store"), monkeypatch)
        crawl = crawl_of(tmp_path)
        first, _ = nights.build(crawl.write())
        parent = first
        for edits in nights_of_edits:
            for edit in edits:
                change(crawl, *edit)
            parent, _ = nights.build(crawl.write(), parent)
        full, _ = nights.build(crawl.folder)
        assert tables_differ(parent, full) == []
        assert all(found(parent, query) == found(full, query) for query in QUERIES)
        # Back to the first night's input: what was deleted comes back as it was.
        crawl.files = crawl_of(tmp_path).files
        restored, _ = nights.build(crawl.write(), parent)
        assert all_rows(restored) == all_rows(first)
        assert tables_differ(restored, first) == []


def test_only_what_changed_is_extracted_read_and_encoded(nights: Nights, tmp_path: Path) -> None:
    crawl = crawl_of(tmp_path)
    first, counted = nights.build(crawl.write())
    assert len(counted.extracted) == 12
    before = all_rows(first)
    crawl.files["a.jsonl"][1] = page(2, 1)
    crawl.files["b.jsonl"].append({"id": "empty", "html": "<nav>Home</nav>"})
    second, counted = nights.build(crawl.write(), first)
    assert sorted(counted.extracted) == ["empty", "id-2"]
    after = all_rows(second)
    new_segments = [
        json.loads(row)["segment_id"] for row in after["11_segments"] - before["11_segments"]
    ]
    assert sorted(counted.read) == sorted(new_segments)
    assert new_segments
    texts = [row["text"] for row in map(json.loads, after["11_segments"])]
    assert counted.searched == [text for text in texts if "Otter Bridge was built in 1815" in text]
    new_vectors = after["40_vectors"] - before["40_vectors"]
    assert 0 < len(counted.encoded) <= new_vectors.total()

    crawl.files["a.jsonl"].reverse()
    third, counted = nights.build(crawl.write(), second)
    assert counted == Counting()
    assert tables_differ(third, second) == []


def test_shards_that_stay_as_they_were_are_the_parents_files(
    nights: Nights, tmp_path: Path
) -> None:
    crawl = crawl_of(tmp_path)
    first, _ = nights.build(crawl.write())
    crawl.files["a.jsonl"][1] = page(2, 1)
    second, _ = nights.build(crawl.write(), first)
    changed = set(tables_differ(first, second))
    assert changed
    assert len({name.split("/")[1] for name in changed}) == 1, "one page is in one shard"
    names = [
        path.relative_to(second.root).as_posix()
        for folder in second.root.glob("[1-5]*")
        for path in folder.rglob("*")
        if path.is_file() and "30_models" not in path.parts
    ]
    assert len(names) > len(changed)
    for name in names:
        same = os.path.samefile(first.root / name, second.root / name)
        assert same == (name not in changed), name


def test_pages_that_are_missing_are_kept_when_asked(nights: Nights, tmp_path: Path) -> None:
    crawl = crawl_of(tmp_path)
    first, _ = nights.build(crawl.write())
    whole = dict(crawl.files)
    edited, gone = page(3, 1), {**page(5, 0), "text": " "}
    crawl.files = {"c.jsonl": [edited, page(20, 0), gone]}
    partial, counted = nights.build(crawl.write(), first, keep=True)
    assert sorted(counted.extracted) == ["id-20", "id-3"]

    crawl.files = {
        "a.jsonl": [edited, page(20, 0), gone],
        "b.jsonl": [r for f in whole.values() for r in f if r["id"] not in ("id-3", "id-5")],
    }
    full, _ = nights.build(crawl.write())
    assert all_rows(partial) == all_rows(full)
    assert not any("id-5" in row for row in all_rows(partial)["10_pages"])
    assert all(found(partial, query) == found(full, query) for query in QUERIES)

    crawl.files = {"c.jsonl": [edited]}
    forgotten, _ = nights.build(crawl.write(), partial)
    assert all_rows(forgotten)["10_pages"].total() == 1


def test_page_whose_file_cannot_be_read_is_kept_when_asked(nights: Nights, tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    for name in NAMES[:3]:
        html = f"<title>{name}</title><p>{name} was built in 1871 by Agnes Teague of Port Ness.</p>"
        (folder / f"{name}.html").write_text(html)
    first, _ = nights.build(folder)
    (folder / f"{NAMES[0]}.html").write_bytes(b"\x1f\x8b\x08")  # begins as gzip, and ends
    partial, _ = nights.build(folder, first, keep=True)
    assert all_rows(partial)["10_pages"] == all_rows(first)["10_pages"]
    assert all_rows(partial)["19_rejects"].total() == 1


def test_records_in_another_order_give_the_same_files(nights: Nights, tmp_path: Path) -> None:
    crawl = crawl_of(tmp_path)
    older = [{**page(n, 1), "id": f"old-{n}", "fetched_at": "2023-01-02T00:00:00Z"} for n in (1, 2)]
    oldest = [{**one, "id": f"_{one['id']}", "fetched_at": "2022-01-02"} for one in older]
    empty = [{"id": "none", "url": "", "text": " "}, {"id": "none", "url": "", "text": ""}]
    newer = [{**page(n, 2), "fetched_at": "2024-02-02T00:00:00Z"} for n in (7, 8)]
    crawl.files["a.jsonl"] += [*older, *newer, *oldest, *empty]
    first, _ = nights.build(crawl.write())
    assert all_rows(first)["19_rejects"].total() == 9
    crawl.files = {name: records[::-1] for name, records in crawl.files.items()}
    crawl.files["c.jsonl"] = crawl.files.pop("a.jsonl")
    second, _ = nights.build(crawl.write())
    assert tables_differ(first, second) == []


def test_new_name_of_a_folder_keeps_no_copy_of_copies(nights: Nights, tmp_path: Path) -> None:
    for name in NAMES[:3]:
        (tmp_path / "in" / "0").mkdir(parents=True, exist_ok=True)
        text = f"{name} was built in 1871 by Agnes Teague of Port Ness."
        (tmp_path / "in" / "0" / f"{name}.html").write_text(f"<title>{name}</title><p>{text}</p>")
    build, _ = nights.build(tmp_path / "in")
    pages = all_rows(build)["10_pages"].total()
    rejected = []
    for number in range(3):
        (tmp_path / "in" / str(number)).rename(tmp_path / "in" / str(number + 1))
        build, _ = nights.build(tmp_path / "in", build, keep=True)
        assert all_rows(build)["10_pages"].total() == pages
        rejected.append(all_rows(build)["19_rejects"].total())
    assert rejected == [3, 3, 3]


def test_a_damaged_file_of_the_parent_is_computed_again(nights: Nights, tmp_path: Path) -> None:
    crawl = crawl_of(tmp_path)
    first, _ = nights.build(crawl.write())
    full, _ = nights.build(crawl.folder)
    for path in sorted(first.root.glob("[1-5]*/shard=001/*")):
        raw = bytearray(path.read_bytes())
        raw[len(raw) // 2] ^= 1
        path.write_bytes(raw)
    second, counted = nights.build(crawl.folder, first)
    assert counted.extracted
    assert counted.read
    assert counted.encoded
    assert tables_differ(second, full) == []
    assert os.path.samefile(first.part("10_pages", 0), second.part("10_pages", 0))
