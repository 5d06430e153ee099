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
    ("column", "value", "question"),
    [
        ("Rooms", "1,204 (2013)", "How many rooms does Skell Mill have in Mills?"),
        ("Rooms", "two or three", "What are the rooms of Skell Mill in Mills?"),
        ("Wins", "16–4", "What are the wins of Skell Mill in Mills?"),
        ("Sales", "300", "What are the sales of Skell Mill in Mills?"),
        ("Number of rooms", "12", "What is the number of rooms of Skell Mill in Mills?"),
        ("Height", "12", "What is the height of Skell Mill in Mills?"),
    ],
)
def test_attribute_question_asks_how_many_there_are_of_what_is_counted(
    column: str, value: str, question: str
) -> None:
    assert attribute_question(column, "Skell Mill", value, "Mills") == question


@pytest.mark.parametrize(
    ("noun", "asked"), [("year founded", True), ("founded", False), ("company founded", False)]
)
def test_participle_is_an_attribute_behind_a_date_alone(noun: str, asked: bool) -> None:
    assert is_attribute(noun) is asked
