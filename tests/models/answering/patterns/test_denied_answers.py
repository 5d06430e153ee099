from __future__ import annotations

from factmill.models.answering.answer_candidates import Source
from factmill.models.answering.patterns.denied_answers import denied_answers
from factmill.models.answering.words.asked_for import asked_for

SHIPS = (
    "Is there a bar on the ships?\nThere is a bar on the Swan and the Otter. The Heron has none."
)


def texts(question: str, text: str) -> list[str]:
    return [one.text for one in denied_answers(asked_for(question), [Source(text, "", 0.5)])]


def test_the_one_name_of_the_sentence_that_denies_is_the_answer() -> None:
    assert texts("Which ship has no bar?", SHIPS) == ["Heron"]


def test_a_name_that_is_not_said_to_be_one_of_those_asked_for_is_less_sure() -> None:
    question = asked_for("Which town is not on the sea?")
    text = "Heights are not above the sea. Oss is the one town that is not on the sea."
    scores = {one.text: one.score for one in denied_answers(question, [Source(text, "", 0.5)])}

    assert scores.get("Heights", 0) < scores["Oss"]


def test_a_name_is_less_sure_where_its_sentence_does_not_say_what_it_is() -> None:
    question = asked_for("Which town is not on the sea?")
    said, unsaid = (
        next(denied_answers(question, [Source(text, "Towns", 0.5)]))
        for text in ("Oss is the town that is not on the sea.", "Oss is not on the sea.")
    )

    assert said.text == unsaid.text == "Oss"
    assert 0 < unsaid.score < said.score


def test_what_denies_nothing_or_two_things_gives_no_answer() -> None:
    assert texts("Which ship has a bar?", SHIPS) == []
    assert texts("Which ship has no bar?", "Neither the Swan nor the Otter has a bar.") == []
    assert texts("When was there no bar?", SHIPS) == []
    assert texts("What is open with no bar?", "Normally it is open, with no bar.") == []
