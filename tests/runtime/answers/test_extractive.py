from __future__ import annotations

import pytest

from factmill.runtime.answers.extractive import (
    DONT_KNOW,
    Answer,
    answer,
    content_words,
    question_is_closed,
)
from factmill.runtime.index import Hit, UnitHit

BRIDGE = (
    "The Weaver's Bridge was built in 1742 by the mason Josiah Crane. "
    "It has five arches and is 61 m long. It was closed to cars on 3 May 1999."
)


class _FixedIndex:
    """Returns prepared hits, whatever is asked."""

    def __init__(self, *hits: Hit) -> None:
        self._hits = list(hits)

    def search(self, _query: str, k: int = 20) -> list[Hit]:
        return self._hits[:k]


def _pair(segment: str, question: str, span: str, score: float = 0.8) -> UnitHit:
    start = segment.index(span)
    return UnitHit("u-qa", "qa_pair", f"{question} {span}", score, "s", start, start + len(span))


def _proposition(segment: str, text: str, span: str = "", score: float = 0.8) -> UnitHit:
    start = segment.index(span or text)
    return UnitHit("u-p", "proposition", text, score, "s", start, start + len(span or text))


def _hit(segment: str, *units: UnitHit, title: str = "", rank: int = 1) -> Hit:
    return Hit(rank, 0.7, "p", "src", "https://a.example/", title, segment, "s", 10, 99, units)


def _answer(question: str, *hits: Hit) -> Answer:
    found = answer(_FixedIndex(*hits), question)  # type: ignore[arg-type]
    if found.known:
        assert found.hit is not None
        assert found.hit.text[found.start : found.end] == found.text
    else:
        assert found.text == DONT_KNOW == "I don't know"
    return found


@pytest.mark.parametrize(
    ("question", "sentence", "text"),
    [
        ("When was the Weaver's Bridge built?", 0, "1742"),
        ("In which year was the Weaver's Bridge built?", 0, "1742"),
        ("When was the bridge closed to cars?", 2, "3 May 1999"),
        ("How long is the Weaver's Bridge?", 1, "61 m"),
        ("Who built the Weaver's Bridge?", 0, "Josiah Crane"),
    ],
)
def test_answer_typed_question_takes_the_span_of_its_type_from_a_proposition(
    question: str, sentence: int, text: str
) -> None:
    span = [part + "." for part in BRIDGE.rstrip(".").split(". ")][sentence]
    statement = span.replace("It ", "The Weaver's Bridge ")
    found = _answer(question, _hit(BRIDGE, _proposition(BRIDGE, statement, span)))
    assert found.text.startswith(text.split(" m")[0])
    assert found.unit is not None
    assert found.unit.unit_id == "u-p"


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        ("15,000", "The regatta draws 15,000 people."),
        ("1.3 million", "The museum has 1.3 million visitors."),
        ("38", "The firm has 38 employees."),
        ("23.5 %", "The biscuit contains 23.5 % butter."),
    ],
)
def test_answer_how_many_is_a_number(number: str, sentence: str) -> None:
    subject = sentence.split()[1]
    found = _answer(
        f"How many does the {subject} have?", _hit(sentence, _proposition(sentence, sentence))
    )
    assert found.text.startswith(number)


def test_answer_pair_with_the_same_question_gives_its_span() -> None:
    pair = _pair(BRIDGE, "When was the Weaver's Bridge built?", "1742")
    found = _answer("When was the Weaver's Bridge built?", _hit(BRIDGE, pair))
    assert (found.text, found.unit, found.score) == ("1742", pair, pytest.approx(0.8))


def test_answer_pair_whose_span_is_of_another_type_is_not_said() -> None:
    pair = _pair(BRIDGE, "Who built the Weaver's Bridge?", "the mason Josiah Crane")
    assert not _answer("When was the Weaver's Bridge built?", _hit(BRIDGE, pair)).known


def test_answer_best_score_wins_over_rank() -> None:
    weak = _pair(BRIDGE, "When was the bridge built?", "1742", 0.5)
    strong = _pair(BRIDGE, "When was the bridge built?", "1999", 0.9)
    found = _answer("When was the bridge built?", _hit(BRIDGE, weak), _hit(BRIDGE, strong, rank=2))
    assert found.text == "1999"
    assert found.hit is not None
    assert found.hit.rank == 2


def test_answer_words_of_the_title_count_as_known() -> None:
    text = "It was built in 1742."
    unit = _proposition(text, text)
    assert _answer("When was the Centenary Bridge built?", _hit(text, unit)).known is False
    found = _answer(
        "When was the Centenary Bridge built?", _hit(text, unit, title="Centenary Bridge")
    )
    assert found.text == "1742"


@pytest.mark.parametrize(
    "question",
    [
        "When was the moon landing of the Apollo mission?",
        "Who won the football world cup in Brazil?",
        "What is the capital of Kaldsund?",
        "When?",
    ],
)
def test_answer_words_that_do_not_overlap_give_i_dont_know(question: str) -> None:
    hit = _hit(
        BRIDGE,
        _proposition(BRIDGE, "The Weaver's Bridge was built in 1742.", BRIDGE[:30]),
        _pair(BRIDGE, "Who built the bridge?", "Josiah Crane"),
    )
    assert not _answer(question, hit).known


def test_answer_low_score_gives_i_dont_know() -> None:
    pair = _pair(BRIDGE, "When was the bridge built?", "1742", 0.1)
    assert not _answer("When was the bridge built?", _hit(BRIDGE, pair)).known


def test_answer_no_hit_or_no_unit_gives_i_dont_know() -> None:
    assert not _answer("When was the bridge built?").known
    assert not _answer("When was the bridge built?", _hit(BRIDGE)).known


def test_answer_words_only_in_the_answer_itself_do_not_count_as_known() -> None:
    pair = _pair(BRIDGE, "Who did it?", "the mason Josiah Crane")
    assert not _answer("Who was the mason Josiah Crane?", _hit(BRIDGE, pair)).known


def test_answer_date_that_the_question_names_is_not_its_answer() -> None:
    text = "In 1742 the bridge was built, and in 1999 it was closed."
    found = _answer(
        "In what year after 1742 was the bridge closed?", _hit(text, _proposition(text, text))
    )
    assert found.text == "1999"


def test_answer_yes_or_no_question_is_not_answered_from_a_proposition() -> None:
    unit = _proposition(BRIDGE, "The Weaver's Bridge was built in 1742.", BRIDGE[:30])
    assert not _answer("Was the Weaver's Bridge built in 1742?", _hit(BRIDGE, unit)).known


def test_answer_as_json_has_provenance_or_null() -> None:
    pair = _pair(BRIDGE, "When was the bridge built?", "1742")
    raw = _answer("When was the bridge built?", _hit(BRIDGE, pair)).as_json()
    provenance = raw["provenance"]
    assert raw["answer"] == "1742"
    assert provenance["segment"][provenance["start"] : provenance["end"]] == "1742"
    assert (provenance["unit_id"], provenance["kind"]) == ("u-qa", "qa_pair")
    assert (provenance["url"], provenance["page_start"]) == ("https://a.example/", 10)
    assert _answer("Why?").as_json() == {
        "question": "Why?", "answer": DONT_KNOW, "score": 0.0, "provenance": None,
    }  # fmt: skip


def test_content_words_drop_stop_words_and_plural_endings() -> None:
    assert content_words("Who are the Weaver's bridges' two ARCHES?") == {
        "weaver", "bridge", "two", "arche",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("question", "closed"),
    [("Is it?", True), ("does it", True), ("Island?", False), ("Who is?", False)],
)
def test_question_is_closed_by_its_first_word(question: str, closed: bool) -> None:
    assert question_is_closed(question) is closed
