import pytest

from factmill.models.readers.heuristic.page_subject import PageSubject

HALE = PageSubject("Tom Hale", likely=True, person=True)


@pytest.mark.parametrize(
    "sentence",
    ["Hale died.", "Sir Tom Hale died.", "Thomas B. Hale died.", "“Tom Hale” is a film."],
)
def test_sentence_opens_with_a_person_by_the_last_name(sentence: str) -> None:
    assert HALE.opens(sentence)


@pytest.mark.parametrize("sentence", ["Marie Lund met Hale.", "Tom died.", "", "“", " \n"])
def test_sentence_opens_with_something_else_or_nothing(sentence: str) -> None:
    assert not HALE.opens(sentence)


def test_name_that_is_no_word_opens_nothing() -> None:
    assert not PageSubject(", of Oslo", likely=True, person=True).opens("Oslo is a town.")
