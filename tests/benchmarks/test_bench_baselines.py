"""The benchmark of baselines on a small store, with what the test environment has installed."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from factmill.models.encoding.encoder import Encoder
from factmill.schemas.errors import MissingExtra, OptionError
from tests.benchmarks import bench_baselines
from tests.benchmarks.baselines.measuring import Line
from tests.benchmarks.baselines.units import all_pages
from tests.benchmarks.bench_baselines import chosen_methods, compare, need, read_data
from tests.runtime.tiny_build import FakeEncoder, tiny_build

# Methods that train on nothing, so that a handful of rows is enough.
METHODS = ["exact", "hnsw", "sign", "flat", "factmill_codes", "factmill"]


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    tiny_build(tmp_path / "store")
    fake = FakeEncoder()
    monkeypatch.setattr(Encoder, "fingerprint", fake.fingerprint)
    monkeypatch.setattr(Encoder, "encode", lambda _, texts: fake.encode(texts))
    return tmp_path / "store"


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    rows = [
        {"id": "1", "question": "Weaver's Bridge was built in 1742", "gold_ids": ["bridges"]},
        {"id": "2", "question": "The ferry takes 40 minutes", "gold_ids": ["ferry"]},
        {"id": "3", "question": "nobody knows", "gold_ids": ["elsewhere"]},
    ]
    path = tmp_path / "questions.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def by_way(lines: list[Line]) -> dict[tuple[str, str, str], Line]:
    return {(x.method, x.label, x.ranking): x for x in lines if x.chosen}


def test_every_method_finds_pages_that_share_the_words(store: Path, questions: Path) -> None:
    data = read_data(store, questions, 0, lambda _: None)

    lines = compare(data, chosen_methods(METHODS), 10, 0.0, lambda _: None)

    assert not [line.failure for line in lines if line.failure]
    assert {line.method for line in lines} == set(METHODS)
    for line in lines:
        assert line.timed_queries == 2  # The third question has no gold page here.
        if line.label.startswith("float query") and line.method != "sign" and line.chosen:
            assert line.recall is not None
            assert line.recall[1] == 1.0, line
    found = by_way(lines)
    width = 4 * data.head.dimension
    assert width < found["exact", "float query", "best row"].bytes_per_unit < width + 10
    assert width < found["hnsw", "float query", "best row"].bytes_per_unit
    assert found["flat", "Hamming", "best row"].bytes_per_unit < width
    codes = found["factmill_codes", "float query", "equation 10"].bytes_per_unit
    assert codes < found["factmill", "float query and words", "equation 10"].bytes_per_unit


def test_the_runtime_is_not_compared_on_rows_it_does_not_have(
    store: Path, questions: Path
) -> None:  # fmt: skip
    data = read_data(store, questions, 10, lambda _: None)

    lines = compare(data, chosen_methods(["factmill", "exact"]), 10, 0.0, lambda _: None)

    failures = {line.method: line.failure for line in lines}
    assert failures["exact"] == ""
    assert "--rows" in failures["factmill"]


def test_the_encoder_is_itself_again_after_the_runtime_was_asked(
    store: Path, questions: Path
) -> None:  # fmt: skip
    data = read_data(store, questions, 0, lambda _: None)
    before = Encoder.encode

    compare(data, chosen_methods(["factmill"]), 1, 0.0, lambda _: None)

    assert Encoder.encode is before


def test_questions_without_gold_pages_are_refused(store: Path, tmp_path: Path) -> None:
    path = tmp_path / "none.jsonl"
    path.write_text(json.dumps({"id": "1", "question": "?", "gold_ids": ["elsewhere"]}))

    with pytest.raises(OptionError, match="no question whose gold"):
        read_data(store, path, 0, lambda _: None)


def test_a_method_comes_with_what_it_is_tuned_to_and_after_it() -> None:
    assert [method.name for method in chosen_methods(["hnsw"])] == ["exact", "hnsw"]
    names = [method.name for method in chosen_methods([])]
    for method in chosen_methods([]):
        assert not method.target or names.index(method.target) < names.index(method.name)


def test_an_unknown_method_is_named_with_those_there_are() -> None:
    with pytest.raises(OptionError, match=r"no fax; there are exact, hnsw"):
        chosen_methods(["exact", "fax"])


def test_a_missing_package_is_one_line_that_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, store: Path, questions: Path, tmp_path: Path
) -> None:
    with pytest.raises(MissingExtra, match=r"no_such_package .* 'factmill\[bench\]'"):
        need(["json", "no_such_package"])
    monkeypatch.setattr(bench_baselines, "find_spec", lambda _: None)
    arguments = ["bench", str(store), str(questions), "--out", str(tmp_path / "out")]
    monkeypatch.setattr("sys.argv", arguments)
    with pytest.raises(SystemExit, match=r"^matplotlib is not installed; run: pip install"):
        bench_baselines.main()


def test_the_same_pages_in_another_order_give_the_same_recall(
    store: Path, questions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def orders_and_recalls() -> tuple[list[str], list[dict[int, float] | None]]:
        data = read_data(store, questions, 0, lambda _: None)
        methods = chosen_methods(["exact", "sign", "flat"])
        lines = compare(data, methods, 1, 0.0, lambda _: None)
        return [page.page_id for page in data.units.pages], [line.recall for line in lines]

    order, recalls = orders_and_recalls()
    monkeypatch.setattr(
        bench_baselines,
        "all_pages",
        lambda *where: sorted(all_pages(*where), key=lambda page: (page.shard, page.page_id)),
    )

    other_order, same_recalls = orders_and_recalls()

    assert other_order != order
    assert same_recalls == recalls


def test_ladders_and_failures_are_written_and_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    recalls = dict.fromkeys((1, 5, 20, 100), float(np.float32(0.5)))
    lines = [
        Line("hnsw", "HNSW", label="float query", ranking="best row", effort=8, recall=recalls,
             bytes_per_unit=9, median_ms=0.1, chosen=False),
        Line("hnsw", "HNSW", label="float query", ranking="best row", effort=16, recall=recalls,
             bytes_per_unit=9, median_ms=0.2),
        Line("pq", "PQ", failure="too few rows"),
    ]  # fmt: skip

    table = bench_baselines.write(tmp_path / "out", {"rows": 7}, lines)

    assert "effort 16 |" in table
    assert "effort 8 |" not in table
    assert "failed: too few rows" in table
    written = json.loads((tmp_path / "out" / "baselines.json").read_text())
    assert written["rows"] == 7
    assert [line["effort"] for line in written["lines"]] == [8, 16, 0]
    for name in ("recall_by_time", "recall_by_bytes"):
        assert (tmp_path / "out" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
