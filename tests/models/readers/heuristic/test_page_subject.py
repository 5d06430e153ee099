"""What a page is about, by its title, and which sentences open with it."""

import pytest

from factmill.models.readers.heuristic.page_subject import PageSubject, head_noun, page_subject

PERSON = "Marie Lund"
HALE = PageSubject("Tom Hale", likely=True, person=True)


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Skerrow Lighthouse", "Skerrow Lighthouse"),
        ("  Skerrow Lighthouse  ", "Skerrow Lighthouse"),
        ("Marie Lund - Wikipedia", "Marie Lund"),
        ("Marie Lund | Lives of Chemists", "Marie Lund"),
        ("Marie Lund – Store norske leksikon", "Marie Lund"),
        ("Mercury (planet)", "Mercury"),
        ("Mercury (planet) | Space", "Mercury"),
        ("Spider-Man", "Spider-Man"),
        ("AT&T", "AT&T"),
    ],
)
def test_page_subject_title_without_site_and_parenthesis_is_a_likely_name(
    title: str, name: str
) -> None:
    subject = page_subject(title)
    assert (subject.name, subject.likely) == (name, True)


@pytest.mark.parametrize(
    "title",
    [
        "",
        " ",
        "Who was Marie Lund?",
        "Breaking: ship sinks",
        "The eight word title of a very long story",
        "(untitled)",
    ],
)
def test_page_subject_title_that_reads_like_no_name_is_likely_no_subject(title: str) -> None:
    assert page_subject(title) == PageSubject(page_subject(title).name)


@pytest.mark.parametrize(
    "title", ["How to Cook", "Best Pubs of Oslo", "Home", "Ships of the sea", "lighthouses", "FAQ"]
)
def test_page_subject_title_that_reads_like_no_name_is_not_likely(title: str) -> None:
    assert not page_subject(title).likely


@pytest.mark.parametrize("title", ["Marie Lund", "Ludwig van Beethoven", "J. R. R. Tolkien"])
def test_page_subject_name_of_a_person_is_a_person(title: str) -> None:
    assert page_subject(title).person


@pytest.mark.parametrize(
    "title",
    [
        "Oslo",
        "Skerrow Lighthouse",
        "Tower of London",
        "Marie Lund and Tom Hale",
        "Deadpool 2",
        "Lund University",
        "River Thames",
    ],
)
def test_page_subject_name_of_a_thing_is_no_person(title: str) -> None:
    assert not page_subject(title).person


@pytest.mark.parametrize(
    ("title", "sentence", "expected"),
    [
        (PERSON, "Marie Lund was a chemist.", True),
        (PERSON, "Lund was a chemist.", True),
        (PERSON, "“Marie Lund was a chemist.”", True),
        (PERSON, "Lunde was a chemist.", False),
        (PERSON, "Tom met Marie Lund.", False),
        ("The Third Man", "Third Man is a film.", True),
        ("Third Man", "The Third Man is a film.", True),
        ("Skerrow Lighthouse", "Lighthouse keepers came.", False),
        ("", "Anything at all.", False),
    ],
)
def test_mentioned_first_sentence_that_begins_with_the_name(
    title: str, sentence: str, expected: bool
) -> None:
    assert page_subject(title).opens(sentence) is expected


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


@pytest.mark.parametrize(
    ("title", "noun"),
    [
        ("2004 presidential election in Lund", "election"),
        ("Visa policy of Lund", "policy"),
        ("Marie Lund", ""),
        ("Lund", ""),
    ],
)
def test_head_noun_is_what_a_title_names(title: str, noun: str) -> None:
    assert head_noun(title) == noun
