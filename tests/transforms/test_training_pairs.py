from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from schemas.layout import BuildDir
from tests.runtime.tiny_build import SITES, FakeEncoder, Site, write_tables
from transforms import training_pairs
from transforms.training_pairs import TextPair, encode_pairs, text_pairs

FACTS = sum(len(site.facts) for site in SITES)


def _build(root: Path, shards: int, sites: tuple[Site, ...] = SITES) -> BuildDir:
    build = BuildDir(root)
    write_tables(build, sites, shards)
    return build


def test_text_pairs_questions_come_first_with_their_proposition(tmp_path: Path) -> None:
    pairs = text_pairs(_build(tmp_path, 2), 2)
    assert len(pairs) == 2 * FACTS
    expected = {
        (
            fact.question,
            fact.text if site.title.lower() in fact.text.lower() else f"{site.title}. {fact.text}",
        )
        for site in SITES
        for fact in site.facts
    }
    assert {(pair.query, pair.unit) for pair in pairs[:FACTS]} == expected
    assert {pair.query for pair in pairs[FACTS:]} == {
        fact.text for site in SITES for fact in site.facts
    }


def test_text_pairs_units_are_distinct_and_exist(tmp_path: Path) -> None:
    build = _build(tmp_path, 2)
    units = [pair.unit_id for pair in text_pairs(build, 2)]
    assert len(set(units)) == len(units)
    known = {
        row
        for shard in range(2)
        for table, column in (("20_propositions", "unit_id"), ("11_segments", "segment_id"))
        for row in pq.read_table(build.part(table, shard))[column].to_pylist()
    }
    assert set(units) <= known


@pytest.mark.parametrize("limit", [1, 3, FACTS, FACTS + 2, 1000])
def test_text_pairs_sample_does_not_depend_on_the_number_of_shards(
    tmp_path: Path, limit: int
) -> None:
    samples = [
        text_pairs(_build(tmp_path / str(shards), shards), shards, limit) for shards in (1, 2, 5)
    ]
    assert samples[0] == samples[1] == samples[2]
    assert len(samples[0]) == min(limit, 2 * FACTS)


def test_text_pairs_smaller_sample_is_the_beginning_of_a_larger_one(tmp_path: Path) -> None:
    build = _build(tmp_path, 2)
    assert text_pairs(build, 2, 3) == text_pairs(build, 2, 5)[:3]


def test_text_pairs_nothing_read_is_no_pair(tmp_path: Path) -> None:
    assert text_pairs(_build(tmp_path, 2, ()), 2) == []


def test_sample_keeps_the_lowest_pair_of_each_unit_however_they_come() -> None:
    pairs = [
        TextPair(f"{(n * 7919) % 10007:05d}", f"q{n}", f"unit-{n % 1500}", "text")
        for n in range(6000)
    ]
    best: dict[str, TextPair] = {}
    for pair in sorted(pairs):
        best.setdefault(pair.unit_id, pair)
    expected = sorted(best.values())[:5]
    assert training_pairs._sample(pairs, 5) == expected
    assert training_pairs._sample(reversed(pairs), 5) == expected


def test_encode_pairs_are_queries_and_units_in_their_order() -> None:
    pairs = [TextPair("0", "a b", "1", "c d"), TextPair("1", "e", "2", "f")]
    vectors = encode_pairs(pairs, FakeEncoder())  # type: ignore[arg-type]
    assert (vectors.queries == FakeEncoder().encode(["a b", "e"])).all()
    assert (vectors.units == FakeEncoder().encode(["c d", "f"])).all()
