from __future__ import annotations

import json
import tempfile
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmill.models.llm.completion import Usage
from factmill.models.readers.llm.extracted_items import ExtractedItems, ExtractedPair
from factmill.schemas.errors import Rejected, Unreachable
from factmill.schemas.storage.append import MAX_WAITING
from factmill.schemas.storage.object_paths import ObjectPath
from factmill.schemas.storage.paths import matching
from factmill.transforms.extract.reading_log import LogWriter, ReadingRecord, merge_files, read_log

ITEMS = ExtractedItems(("Oslo is a city.",), (ExtractedPair("What is Oslo?", "a city"),))


def write(folder: Path, build_id: str, *records: ReadingRecord) -> Path:
    writer = LogWriter(folder, build_id)
    for record in records:
        writer.add(record)
    writer.close()
    return max(folder.glob(f"*.{build_id}.*"))


def test_read_log_gives_back_what_was_added(tmp_path: Path) -> None:
    usage = Usage(2, 300, 40)
    write(
        tmp_path,
        "b1",
        ReadingRecord("b1", {"s1": ITEMS, "s2": Rejected("no_json", "prose")}, usage),
    )

    log = read_log(tmp_path)

    assert log.latest["s1"].outcome == ITEMS
    assert log.latest["s1"].tokens == 170
    rejected = log.latest["s2"].outcome
    assert isinstance(rejected, Rejected)
    assert (rejected.reason, rejected.detail) == ("no_json", "prose")
    assert log.settled("s1")
    assert log.settled("s2")
    assert not log.settled("s3")
    assert log.spent == {"b1": usage}


def test_read_log_of_nothing_is_empty(tmp_path: Path) -> None:
    assert read_log(tmp_path / "none").latest == {}


@given(facts=st.lists(st.text()), question=st.text(), answer=st.text())
def test_any_string_comes_back(facts: list[str], question: str, answer: str) -> None:
    items = ExtractedItems(tuple(facts), (ExtractedPair(question, answer),))
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), "b", ReadingRecord("b", {"s": items}))
        assert read_log(Path(folder)).latest["s"].outcome == items


@pytest.mark.parametrize(
    "usage",
    [[1, 10**30, 5], [1, int("9" * 400), 5], [1, 5, 10**30], [1, 0, 5], [1, -3, 5], [1, True, 5],
     [1, 3.5, 5], [10**12, 3, 5], [1, "3", 5]],
    ids=lambda usage: str(usage)[:12],
)  # fmt: skip
def test_usage_that_cannot_be_true_is_estimated_when_read_back(
    tmp_path: Path, usage: list[object]
) -> None:
    raw = {"build": "b", "segments": {"s": ITEMS.as_json()}, "usage": usage}
    text = json.dumps(raw).encode()
    (tmp_path / "1.b.jsonl").write_bytes(b"%08x %s\n" % (zlib.crc32(text), text))

    log = read_log(tmp_path)

    assert log.latest["s"].outcome == ITEMS
    assert log.spent["b"].calls == 1
    assert 100 < log.spent["b"].tokens < 5000
    assert log.latest["s"].tokens == log.spent["b"].tokens


def test_half_a_surrogate_pair_from_an_llm_is_kept(tmp_path: Path) -> None:
    items = ExtractedItems(("\ud83d",), ())
    write(tmp_path, "b", ReadingRecord("b", {"s": items}))
    assert read_log(tmp_path).latest["s"].outcome == items


def test_every_cut_of_the_file_loses_only_the_line_that_was_cut(tmp_path: Path) -> None:
    records = [ReadingRecord("b", {f"s{n}": ITEMS}) for n in range(3)]
    path = write(tmp_path, "b", *records)
    whole = path.read_bytes()
    ends = [at + 1 for at, byte in enumerate(whole) if byte == ord("\n")]

    for size in range(len(whole) + 1):
        path.write_bytes(whole[:size])
        assert len(read_log(tmp_path).latest) == sum(end <= size for end in ends)


def test_a_flipped_byte_costs_its_line_and_no_other(tmp_path: Path) -> None:
    path = write(tmp_path, "b", *(ReadingRecord("b", {f"s{n}": ITEMS}) for n in range(3)))
    whole = path.read_bytes()
    second = whole.index(b"\n") + 1
    for at in range(second, whole.index(b"\n", second)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert set(read_log(tmp_path).latest) == {"s0", "s2"}


def test_the_last_word_counts_and_can_be_taken_back(tmp_path: Path) -> None:
    write(tmp_path, "b1", ReadingRecord("b1", {"s1": Rejected("no_json"), "s2": ITEMS}))
    write(tmp_path, "b2", ReadingRecord("b2", {"s1": ITEMS}), ReadingRecord("b2", {"s2": None}))

    log = read_log(tmp_path)

    assert set(log.latest) == {"s1"}
    assert log.latest["s1"].outcome == ITEMS
    assert log.latest["s1"].build_id == "b2"


def test_what_is_taken_back_later_is_gone_though_the_same_build_said_it(tmp_path: Path) -> None:
    for _ in range(8):  # file names of one build must not sort by chance
        write(tmp_path, "b1", ReadingRecord("b1", {"s1": ITEMS}))
        write(tmp_path, "b1", ReadingRecord("b1", {"s1": None}))
        assert read_log(tmp_path).latest == {}


def test_a_failure_of_the_server_settles_nothing(tmp_path: Path) -> None:
    write(
        tmp_path,
        "b",
        ReadingRecord("b", {"s1": Rejected("llm_deadline"), "s2": Rejected("llm_failed")}),
    )

    log = read_log(tmp_path)

    assert set(log.latest) == {"s1", "s2"}
    assert not log.settled("s1")
    assert not log.settled("s2")


def test_merge_files_keeps_every_last_word_and_the_files_of_this_build(tmp_path: Path) -> None:
    for n in range(40):
        write(
            tmp_path,
            f"b{n:02d}",
            ReadingRecord(f"b{n:02d}", {f"s{n % 7}": ExtractedItems((str(n),))}),
        )
    before = {key: said.outcome for key, said in read_log(tmp_path).latest.items()}

    merge_files(tmp_path, "b39")
    merge_files(tmp_path, "b40")

    assert {key: said.outcome for key, said in read_log(tmp_path).latest.items()} == before
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("left", [range(5), range(35), range(30, 40), range(0, 40, 2)])
def test_merge_files_after_a_crash_among_its_removals_loses_nothing(
    tmp_path: Path, left: range
) -> None:
    for n in range(40):
        answer = ExtractedItems((str(n),))
        write(tmp_path, "b1", ReadingRecord("b1", {f"s{n % 7}": answer, f"only{n}": answer}))
    before = {key: said.outcome for key, said in read_log(tmp_path).latest.items()}
    files = [(path, path.read_bytes()) for path in sorted(tmp_path.iterdir())]
    merge_files(tmp_path, "b2")
    for n in left:
        path, content = files[n]
        path.write_bytes(content)

    for build_id in ("b2", "b2", "b3"):
        assert {key: said.outcome for key, said in read_log(tmp_path).latest.items()} == before
        merge_files(tmp_path, build_id)

    assert {key: said.outcome for key, said in read_log(tmp_path).latest.items()} == before


def test_merge_files_leaves_a_few_files_alone(tmp_path: Path) -> None:
    write(tmp_path, "b1", ReadingRecord("b1", {"s": ITEMS}))
    merge_files(tmp_path, "b2")
    (path,) = tmp_path.iterdir()
    assert ".b1." in path.name


@pytest.fixture
def objects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ObjectPath:
    """A folder of an object store that is in memory."""
    monkeypatch.setenv("FACTMILL_CACHE", str(tmp_path / "cache"))
    return ObjectPath("memory", str(tmp_path).strip("/"))


def test_log_of_objects_loses_no_more_than_what_waits(objects: ObjectPath) -> None:
    writer = LogWriter(objects, "b")
    for n in range(5 * MAX_WAITING - 1):
        writer.add(ReadingRecord("b", {f"s{n}": ITEMS}))
        # As if it were killed now.
        assert n + 1 - len(read_log(objects).latest) == writer.waiting < MAX_WAITING
    writer.close()
    writer.close()
    assert len(read_log(objects).latest) == 5 * MAX_WAITING - 1
    assert len(matching(objects, "*.jsonl")) == 5


def test_log_of_objects_keeps_what_could_not_be_put(
    objects: ObjectPath, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_path: ObjectPath, _content: bytes) -> None:
        raise Unreachable("the server is gone")

    writer = LogWriter(objects, "b")
    writer.add(ReadingRecord("b", {"s": ITEMS}))
    with monkeypatch.context() as patched:
        patched.setattr(ObjectPath, "write_bytes", refuse)
        with pytest.raises(Unreachable):
            writer.flush()
    writer.close()
    assert set(read_log(objects).latest) == {"s"}


def test_log_of_objects_is_merged_and_keeps_every_last_word(objects: ObjectPath) -> None:
    for n in range(40):
        writer = LogWriter(objects, f"b{n:02d}")
        writer.add(ReadingRecord(f"b{n:02d}", {f"s{n % 7}": ExtractedItems((str(n),))}))
        writer.close()
    before = {key: said.outcome for key, said in read_log(objects).latest.items()}
    merge_files(objects, "b39")
    assert {key: said.outcome for key, said in read_log(objects).latest.items()} == before
    assert len(matching(objects, "*")) == 2
