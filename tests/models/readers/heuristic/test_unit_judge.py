"""What the judge of statements weighs, and what becomes of those that it is not sure of."""

import json
from collections.abc import Callable

import pytest

from factmill.models.readers.heuristic import reader
from factmill.models.readers.heuristic.unit_features import unit_features
from factmill.models.readers.heuristic.unit_judge import WEIGHTS, UnitJudge, unit_judge
from factmill.models.readers.heuristic.unit_neighbours import Neighbours
from factmill.models.readers.heuristic.unit_surroundings import Surroundings
from factmill.models.readers.reading import PageContext, Reading
from factmill.schemas.records import Segment

ALONE = Neighbours("", "")
PRAISE = "Tarn Mill was restored in 1901, perfect for families."
FACT = "Tarn Mill was built in 1742 by Ann Lee."
STRICT = UnitJudge({"values": -3.0}, 1.0, 0.0)


def _features(text: str, title: str = "", beside: Neighbours = ALONE) -> dict[str, float]:
    return unit_features(text, ("whole",), Surroundings.of(title, "", "product"), beside)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Reading]:
    """Reads FACT and PRAISE on a page of a kind, with a judge that takes no praise."""
    monkeypatch.setattr(reader, "unit_judge", lambda: STRICT)
    segment = Segment("s", "p", 0, "text", f"{FACT} {PRAISE}", "", None, None)
    return lambda kind: reader.HeuristicReader().read(segment, PageContext("Tarn Mill", kind))


def test_statement_that_the_judge_doubts_is_rejected_as_unsure(
    read: Callable[[str], Reading],
) -> None:
    reading = read("product")
    assert [statement.text for statement in reading.statements] == [FACT]
    assert [(fault.reason, fault.text) for fault in reading.faults] == [("unsure", PRAISE)]


def test_nothing_is_asked_of_a_statement_that_the_judge_doubts(
    read: Callable[[str], Reading],
) -> None:
    asked = [(one.text, one.statement) for one in read("").questions]
    assert asked[-1] == ("When was Tarn Mill restored?", 1)
    assert [(one.text, one.statement) for one in read("product").questions] == asked[:-1]


def test_pages_that_look_like_no_kind_are_not_judged(read: Callable[[str], Reading]) -> None:
    assert [statement.text for statement in read("").statements] == [FACT, PRAISE]


def test_page_that_looks_like_judged_is_judged_with_less_doubt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    segment = Segment("s", "p", 0, "text", f"{FACT} {PRAISE}", "", None, None)

    def kept(bias: float, page: PageContext) -> list[str]:
        strict = UnitJudge({"values": -3.0}, bias, 2.0)
        monkeypatch.setattr(reader, "unit_judge", lambda: strict)
        return [one.text for one in reader.HeuristicReader().read(segment, page).statements]

    uncertain = PageContext("Tarn Mill", "", judged=True)
    assert kept(1.7, uncertain) == [FACT]
    assert kept(1.5, uncertain) == []
    assert kept(1.7, PageContext("Tarn Mill", "product")) == []


def test_no_sentence_of_a_forum_is_sure(read: Callable[[str], Reading]) -> None:
    assert {fault.text for fault in read("forum").faults} == {FACT, PRAISE}
    assert not read("forum").statements


def test_log_odds_are_bias_and_weighted_features_and_unknown_features_count_nothing() -> None:
    judge = UnitJudge({"names": 0.5, "words": -1.0}, 2.0, 1.0)
    assert judge.log_odds({"names": 3.0, "words": 2.0, "rule new": 1.0}) == 1.5


def test_shipped_weights_are_of_features_that_are_computed() -> None:
    judge = unit_judge()
    texts = ("The lamp, in Oslo, is old; it was 30 (or 40).", "Hale, who came first, sells it")
    beside = (Neighbours("What is it?", ""), Neighbours("Oslo:\n", ""), Neighbours("Oslo", ""))
    computed = {name for text in texts for one in beside for name in _features(text, "Lamp", one)}
    free = ("rule ", "kind ", "opens with ", "verb ")
    named = {name for name in judge.weights if not name.startswith(free)}
    assert len(named & computed) > 25
    card = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    assert card["on_unseen_sites"]["right_of_kept"] >= 0.92


@pytest.mark.parametrize(
    ("text", "title", "feature"),
    [
        ("The battery lasts ten hours.", "", "definite subject"),
        ("The battery lasts ten hours.", "Batteries", "definite subject, spoken of"),
        ("The battery of the lamp lasts ten hours.", "", "definite subject, specified"),
        ("Tom Hale sells the lamp in Oslo.", "", "subject is name"),
        ("Lamps of Oslo were sold in 1972.", "Oslo lamps", "subject of title"),
        ("Perfect rooms for every home.", "", "values without a name"),
        ("Perfect comfort for every home.", "", "no verb"),
    ],
)
def test_features_say_what_a_statement_is_about_and_how_it_speaks(
    text: str, title: str, feature: str
) -> None:
    assert _features(text, title)[feature] == 1.0


def test_what_the_text_or_its_title_named_is_no_loose_definite() -> None:
    text = "Oslo has a lamp and a harbour, and in May the lamp went out and the keeper left."
    assert _features(text)["loose definites"] == 1.0
    assert "loose definites" not in _features(text, "The keepers of Oslo")


@pytest.mark.parametrize(
    ("before", "feature"),
    [
        ("", "begins a segment"),
        ("What lasts longest?\n", "behind a question"),
        ("In detail:\n", "behind a colon"),
        ("Batteries\n", "behind an open line"),
        ("Batteries last.\n", "begins a line"),
    ],
)
def test_features_say_what_stands_before_a_statement(before: str, feature: str) -> None:
    assert _features("The battery lasts ten hours.", "", Neighbours(before, ""))[feature] == 1.0


def test_share_said_before_counts_words_that_the_text_before_has() -> None:
    found = _features("Batteries last ten hours.", "", Neighbours("A battery is dear. ", ""))
    assert found["share said before"] == 0.5
    assert "begins a line" not in found


def test_neighbours_are_cut_from_the_segment() -> None:
    segment = "a" * 300 + "FACT" + "b" * 300
    found = Neighbours.of(segment, 300, 304)
    assert set(found.before) == {"a"}
    assert set(found.after) == {"b"}
    assert len(found.before) + len(found.after) < 600
