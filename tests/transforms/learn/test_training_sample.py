from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmill.schemas.layout import BuildDir
from factmill.transforms.encode.unit_texts import unit_ids, unit_texts
from factmill.transforms.learn import training_sample
from factmill.transforms.learn.training_sample import (
    SourcedQuestion,
    gold_pages_of,
    measured_ids,
    measured_units,
    own_questions,
    sample_units,
)
from tests.runtime.tiny_build import SITES, Site, records_of, write_tables

FACTS = sum(len(site.facts) for site in SITES)
NONE: frozenset[str] = frozenset()


def _build(root: Path, shards: int, sites: tuple[Site, ...] = SITES) -> BuildDir:
    build = BuildDir(root)
    write_tables(build, sites, shards)
    return build


def _page(name: str) -> str:
    return next(records_of(site).page.page_id for site in SITES if site.name == name)


def test_own_questions_are_pairs_first_and_propositions_fill_up(tmp_path: Path) -> None:
    build = _build(tmp_path, 2)
    questions = own_questions(build, 2, 1000)
    assert {question.text for question in questions[:FACTS]} == {
        fact.question for site in SITES for fact in site.facts
    }
    assert {question.text for question in questions[FACTS:]} == {
        fact.text for site in SITES for fact in site.facts
    }
    pairs = {
        row["question"]: (row["proposition_ids"][0], row["segment_id"])
        for shard in range(2)
        for row in pq.read_table(build.part("21_qa_pairs", shard)).to_pylist()
    }
    assert {question.text: question.sources for question in questions[:FACTS]} == pairs
    segments = {
        row["text"]: (row["segment_id"],)
        for shard in range(2)
        for row in pq.read_table(build.part("20_propositions", shard)).to_pylist()
    }
    assert {question.text: question.sources for question in questions[FACTS:]} == segments


@pytest.mark.parametrize("limit", [0, 1, 3, FACTS, FACTS + 2, 1000])
def test_own_questions_do_not_depend_on_the_number_of_shards(tmp_path: Path, limit: int) -> None:
    samples = [
        own_questions(_build(tmp_path / str(shards), shards), shards, limit) for shards in (1, 2, 5)
    ]
    assert samples[0] == samples[1] == samples[2]
    assert len(samples[0]) == min(limit, 2 * FACTS)
    assert samples[0] == own_questions(_build(tmp_path / "again", 2), 2, 1000)[:limit]


def test_own_questions_of_nothing_read_are_none(tmp_path: Path) -> None:
    assert own_questions(_build(tmp_path, 2, ()), 2, 1000) == []


def _questions(ranks: list[int], sources: int) -> list[SourcedQuestion]:
    return [
        SourcedQuestion(f"q{n}", (f"source-{n % sources}", "segment"), f"{rank:06d}")
        for n, rank in enumerate(ranks)
    ]


@given(st.lists(st.integers(0, 10**6), unique=True, max_size=60), st.integers(1, 9))
def test_sample_questions_is_the_lowest_of_each_source_however_they_come(
    ranks: list[int], limit: int
) -> None:
    questions = _questions(ranks, 7)
    best: dict[str, SourcedQuestion] = {}
    for question in sorted(questions, key=lambda question: question.rank):
        best.setdefault(question.sources[0], question)
    expected = list(best.values())[:limit]
    assert training_sample._sample_questions(questions, limit) == expected
    assert training_sample._sample_questions(reversed(questions), limit) == expected


def test_sample_questions_of_more_than_are_held_at_once() -> None:
    questions = _questions([(n * 7919) % 10007 for n in range(6000)], 1500)
    best: dict[str, SourcedQuestion] = {}
    for question in sorted(questions, key=lambda question: question.rank):
        best.setdefault(question.sources[0], question)
    assert training_sample._sample_questions(questions, 5) == list(best.values())[:5]


@pytest.mark.parametrize("limit", [0, 1, 40])
def test_lowest_of_more_than_are_held_at_once_however_they_come(limit: int) -> None:
    items = [(n * 7919) % 10007 for n in range(6000)]
    expected = sorted(items)[:limit]
    assert training_sample._lowest(items, limit, "{:06d}".format) == expected
    assert training_sample._lowest(reversed(items), limit, "{:06d}".format) == expected


@pytest.mark.parametrize("limit", [0, 4, 1000])
def test_sample_units_has_what_is_wanted_all_of_the_pages_and_no_more_than_the_limit(
    tmp_path: Path, limit: int
) -> None:
    build = _build(tmp_path, 2)
    units = {unit.unit_id: (shard, unit) for shard in range(2) for unit in unit_texts(build, shard)}
    wanted = frozenset(sorted(units)[:3])
    page = _page("bridges")
    of_page = {name for name, (_, unit) in units.items() if unit.page_id == page}
    sample = sample_units(build, 2, wanted, frozenset({page}), limit)
    found = [sampled.unit.unit_id for sampled in sample]
    assert len(found) == len(set(found))
    assert {name: units[name] for name in found} == {
        sampled.unit.unit_id: (sampled.shard, sampled.unit) for sampled in sample
    }
    assert wanted | of_page <= set(found)
    others = len(set(found) - wanted - of_page)
    assert others == min(limit, len(units) - len(wanted | of_page))


def test_sample_units_does_not_depend_on_the_number_of_shards(tmp_path: Path) -> None:
    samples = [
        [
            sampled.unit
            for sampled in sample_units(
                _build(tmp_path / str(shards), shards), shards, NONE, NONE, 6
            )
        ]
        for shards in (1, 2, 5)
    ]
    assert samples[0] == samples[1] == samples[2]
    assert len(samples[0]) == 6


def test_pages_of_finds_pages_by_page_id_and_by_source_id(tmp_path: Path) -> None:
    build = _build(tmp_path, 2)
    bridges, ferry = _page("bridges"), _page("ferry")
    found = gold_pages_of(build, 2, frozenset({"bridges", ferry, "unknown"}))
    assert found == {"bridges": [bridges], ferry: [ferry]}
    assert gold_pages_of(build, 2, NONE) == {}


def test_pages_of_finds_pages_by_url_in_any_spelling(tmp_path: Path) -> None:
    build = _build(tmp_path, 2)
    url = "HTTPS://Bridges.example:443/#top"
    assert gold_pages_of(build, 2, frozenset({url})) == {url: [_page("bridges")]}


def test_pages_of_one_source_are_all_of_its_pages(
    tmp_path: Path,
) -> None:
    build = _build(tmp_path, 1)
    path = build.part("10_pages", 0)
    table = pq.read_table(path, partitioning=None)
    rows = table.to_pylist()
    for row in rows:
        row["source_id"] = "index.html"
    pq.write_table(table.from_pylist(rows, schema=table.schema), path)
    (found,) = gold_pages_of(build, 1, frozenset({"index.html"})).values()
    assert sorted(found) == sorted(_page(site.name) for site in SITES)


@pytest.mark.parametrize(("measured", "questions"), [(1, 3), (4, 8), (100, 0)])
def test_measured_units_are_the_same_of_a_build_and_of_its_training_sample(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, measured: int, questions: int
) -> None:
    monkeypatch.setattr(training_sample, "MEASURED_UNITS", measured)
    build = _build(tmp_path, 3)
    asked = own_questions(build, 3, 1000)
    sources = frozenset(source for question in asked for source in question.sources)
    sample = [kept.unit.unit_id for kept in sample_units(build, 3, sources, NONE, limit=measured)]
    found = measured_units(build, 3, asked[:questions])
    assert {kept.unit.unit_id for kept in found} == measured_ids(sample, asked[:questions])
    every = {unit.unit_id: unit for shard in range(3) for unit in unit_texts(build, shard)}
    assert [kept.unit for kept in found] == [every[kept.unit.unit_id] for kept in found]
    assert min(measured, len(every)) <= len(found) <= measured + 2 * questions
    assert all(kept.unit.unit_id in set(unit_ids(build, kept.shard)) for kept in found)
