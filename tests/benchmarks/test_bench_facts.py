"""The precision that people found in the heuristic reader's units is not lost."""

from zlib import crc32

import pytest

from tests.benchmarks.bench_facts import Excerpt, Judged, Outcome, compare, judged_units


@pytest.fixture(scope="module")
def judged() -> list[Judged]:
    """All held-out units, and those of every twelfth other source: the command reads all."""
    return [one for one in judged_units() if one.held_out or _is_read(one.excerpt.source)]


def _is_read(source: str) -> bool:
    return crc32(source.encode()) % 12 == 0


@pytest.fixture(scope="module")
def outcome(judged: list[Judged]) -> Outcome:
    return compare(judged)


@pytest.mark.parametrize(("kind", "floor"), [("proposition", 0.92), ("pair", 0.95)])
def test_units_that_people_judged_are_right(outcome: Outcome, kind: str, floor: float) -> None:
    assert outcome.precision(kind) >= floor


@pytest.mark.parametrize(("kind", "floor"), [("proposition", 0.92), ("pair", 0.95)])
def test_units_of_held_out_pages_are_right(judged: list[Judged], kind: str, floor: float) -> None:
    held_out = [one for one in judged if one.held_out]
    assert compare(held_out).precision(kind) >= floor


def test_most_units_that_people_found_right_are_still_made(
    judged: list[Judged], outcome: Outcome
) -> None:
    made = sum(tally.right for tally in outcome.rules.values())
    assert len(judged) >= 800
    # Some are made in other parts now: the date of an event alone. Half of what web pages state
    # rightly is doubted, because only so 93 of 100 of the rest are right (`unit_judge.json`).
    assert made >= 0.55 * sum(one.right for one in judged)


def test_compare_counts_right_wrong_gone_and_unjudged_units() -> None:
    excerpt = Excerpt(
        "s", "Oslo", "", "text", "Oslo is a town in Norway. Oslo was founded in 1048."
    )
    judged = [
        Judged(excerpt, "Oslo is a town in Norway.", "", True, "", False),
        Judged(excerpt, "When was Oslo founded?", "1048", False, "untrue", False),
        Judged(excerpt, "Oslo is old.", "", True, "", False),
    ]
    found = compare(judged)
    assert (found.precision("proposition"), found.precision("pair")) == (1.0, 0.0)
    assert found.gone == 1
    assert [one.unit for one in found.wrong] == ["When was Oslo founded?"]
    assert "Oslo was founded in 1048." in {unit for _, unit, _, _ in found.unjudged}
