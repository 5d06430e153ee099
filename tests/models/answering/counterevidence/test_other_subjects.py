from __future__ import annotations

import pytest

from factmill.models.answering.counterevidence.other_subjects import (
    is_for_another_deed,
    is_of_another,
    is_of_owner,
    is_only_where_it_is,
    says_no_order,
)
from factmill.models.answering.words.asked_for import asked_for


@pytest.mark.parametrize(
    ("question", "text", "said", "of_another"),
    [
        ("How long is the Tarn?", "It is joined by the Fell Beck, which is 9 km long.", "9", True),
        ("How long is the Fell Beck?", "It is joined by the Fell Beck, which is 9 km.", "9", False),
        ("How long is the Tarn?", "Its source is a spring, which is 9 km away.", "9", False),
        ("When was the Holm mill put up?", "Its mill called Meg, which was put up in 2009.", "2009",
         False),
        ("How many children did Ann have?", "She was the second of five children.", "five", True),
        ("How many children did Ann have?", "She was a mother of five children.", "five", False),
        ("How many live in Tarn?", "The second of five bridges is old.", "five", False),
        ("How many lived in Tarn in 1951?", "It had 260 people in 2021.", "260", True),
        ("How many lived in Tarn in 2021?", "It had 260 people in 2021.", "260", False),
        ("How many lived in Tarn in 1951?", "It had 260 people.", "260", False),
        ("How warm is Tarn in July?", "It is 5 °C in January and 16 °C in July.", "5 °C", True),
        ("How warm is Tarn in July?", "It is 5 °C in January and 16 °C in July.", "16 °C", False),
        ("How many goals did Bo score?", "Bo scored 3 of Holm's 28 goals.", "28", True),
        ("How many goals did Bo score?", "Bo scored 3 of Holm's 28 goals.", "3", False),
        ("How many goals did Holm have?", "Bo scored 3 of Holm's 28 goals.", "28", False),
        ("Who led the Tarn Trust?", "It was joined by Fell Beck, which Ann led.", "Ann", False),
    ],
)  # fmt: skip
def test_a_number_may_be_of_another_thing_person_month_or_year(
    question: str, text: str, said: str, of_another: bool
) -> None:
    start = text.index(said)

    assert is_of_another(asked_for(question), text, (start, start + len(said))) is of_another


@pytest.mark.parametrize(
    ("question", "text", "no_order"),
    [
        ("Who was the first captain of the Heron?", "Her captain is Tobias Renn.", True),
        ("Who was the first captain of the Heron?", "Tobias Renn was her first captain.", False),
        ("Who was the captain of the Heron?", "Her captain is Tobias Renn.", False),
        ("Who first sailed the Heron?", "She was sailed by Tobias Renn.", False),
        ("Who made the first cheese?", "The cheese was invented by Tobias Renn.", False),
    ],
)
def test_the_first_of_several_is_not_any_of_them(question: str, text: str, no_order: bool) -> None:
    start = text.index("Tobias Renn")
    asked = asked_for(question)

    assert says_no_order(asked, text, (start, start + len("Tobias Renn"))) is no_order


@pytest.mark.parametrize(
    ("question", "text", "of_another"),
    [
        ("Why did Ann miss her ship?", "Ann went home when her ship put in for repairs.", True),
        ("Why did the ship put in?", "Ann went home when her ship put in for repairs.", False),
        ("Why was the museum closed?", "The museum was closed last summer for repairs.", False),
        ("Why did Ann miss her ship?", "Ann missed it because of repairs.", False),
        ("How did Ann miss her ship?", "Ann went home when her ship put in for repairs.", False),
    ],
)
def test_what_a_deed_was_for_is_the_reason_of_no_other(
    question: str, text: str, of_another: bool
) -> None:
    for said in ("for repairs", "repairs"):
        start = text.find(said)
        if start >= 0:
            span = start, start + len(said)
            assert is_for_another_deed(asked_for(question), text, span) is of_another


@pytest.mark.parametrize(
    ("question", "text", "title", "of_owner"),
    [
        ("When did Ann Lee's brother Bob die?", "Ann Lee died in 1952.", "Ann Lee", True),
        ("When did Ann Lee's brother Bob die?", "Her brother Bob died in 1952.", "Ann Lee", False),
        ("When did Ann Lee's brother Bob die?", "Bob was a cook. He died in 1952.", "Oss", False),
        ("When did Ann Lee's brother Bob die?", "He died in 1952.", "Bob Lee", False),
        ("When did Ann Lee's brother die?", "Ann Lee died in 1952.", "Ann Lee", False),
    ],
)
def test_what_is_said_of_somebody_is_not_said_of_her_brother(
    question: str, text: str, title: str, of_owner: bool
) -> None:
    start = text.index("1952")

    assert is_of_owner(asked_for(question), text, title, (start, start + 4)) is of_owner


@pytest.mark.parametrize(
    ("question", "text", "is_only_there"),
    [
        ("Where does Holm get its power from?", "Holm is the only isle in Oss Bay.", True),
        ("Where is Holm?", "Holm is the only isle in Oss Bay.", False),
        ("Where does Holm get its power from?", "Its power is made in Oss Bay.", False),
        ("Where does Holm get its power from?", "The power of Holm is one in Oss Bay.", False),
        (
            "Where does Holm get its power from?",
            f"Holm is the only isle {'of the old parish ' * 20}in Oss Bay.",
            False,
        ),
    ],
)
def test_where_a_thing_is_does_not_say_where_something_is_done(
    question: str, text: str, is_only_there: bool
) -> None:
    start = text.index("Oss Bay")
    span = start, start + len("Oss Bay")

    assert is_only_where_it_is(asked_for(question), text, span) is is_only_there
