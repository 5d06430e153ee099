"""Labels before sentences: which are left out, and which stay."""

import pytest

from factmill.models.readers.heuristic import reader
from factmill.models.readers.heuristic.list_labels import behind_label, has_label
from factmill.models.readers.heuristic.reader import HeuristicReader
from factmill.models.readers.heuristic.unit_judge import UnitJudge
from factmill.models.readers.reading import PageContext
from factmill.schemas.errors import Rejected
from factmill.schemas.records import Segment


@pytest.fixture(autouse=True)
def _judge_that_keeps_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "unit_judge", lambda: UnitJudge({}, 0.0, -1.0))


def _stated(
    text: str, title: str = "Test tools of Oslo", kind: str = "documentation"
) -> list[tuple[str, str]]:
    segment = Segment("s", "p", 0, "text", text, "", None, None)
    try:
        found = HeuristicReader().read(segment, PageContext(title, kind))
    except Rejected:
        return []
    return [(one.text, text[one.start : one.end]) for one in found.statements]


def test_sentence_behind_the_label_of_a_list_entry_is_stated_without_it() -> None:
    sentence = "Kestrel runs tests of web pages in Oslo."
    assert _stated(f"Kestrel: {sentence}") == [(sentence, sentence)]
    assert _stated(f"Web tests – {sentence}") == [(sentence, sentence)]


def test_titles_with_a_colon_are_no_labels() -> None:
    text = "Star Harbour: Discovery was opened in Oslo in 2017."
    assert [one for one, _ in _stated(text, "Star Harbour: Discovery")] == [text]
    assert [one for one, _ in _stated(text, "Star Harbour: Discovery", "")] == [text]


@pytest.mark.parametrize(
    "text",
    [
        "Myth: Grain products are fattening.",
        "Anna Holm: Taxes are too high.",
        "Panthers 5, Flyers 2: Barkov scored a goal.",
        "Visa (NYSE:V) is a payment network.",
        "Devonshire - A Perfect Events Company plans events.",
        "The town has two bridges: Stone Bridge and Iron Bridge.",
        "Oslo was founded late: Nobody knows when.",
    ],
)
def test_what_turns_round_speaks_counts_or_belongs_to_a_sentence_is_no_label(text: str) -> None:
    assert all(one == text for one, _ in _stated(text))


def test_label_whose_rest_is_no_statement_stays() -> None:
    text = "Tofu: Available in many textures, tofu can be used in a wide range of dishes."
    assert text[behind_label(text) :].startswith("Available")
    assert [one for one, _ in _stated(text, "Tofu", "")] == [text]
    assert has_label(text)
    assert not has_label("Tofu can be used in a wide range of dishes: all of them.")
