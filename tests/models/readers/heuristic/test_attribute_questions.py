import pytest

from factmill.models.readers.heuristic.attribute_questions import attribute_question, is_attribute


@pytest.mark.parametrize(
    ("column", "question"),
    [
        ("Height", "What is the height of Skell Mill?"),
        ("Owners", "What are the owners of Skell Mill?"),
        ("Architect", "Who is the architect of Skell Mill?"),
        ("CEO", "Who is the CEO of Skell Mill?"),
        ("Year built", "When was Skell Mill built?"),
    ],
)
def test_attribute_question_asks_for_things_people_and_dates(column: str, question: str) -> None:
    assert attribute_question(column, "Skell Mill") == question


@pytest.mark.parametrize(
    ("noun", "asked"), [("year founded", True), ("founded", False), ("company founded", False)]
)
def test_participle_is_an_attribute_behind_a_date_alone(noun: str, asked: bool) -> None:
    assert is_attribute(noun) is asked
