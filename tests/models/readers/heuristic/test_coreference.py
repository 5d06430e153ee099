"""Which pronouns are replaced by what a page is about, and which are left alone."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmill.models.readers.heuristic.coreference import PronounResolver
from factmill.models.readers.heuristic.page_subject import page_subject

LIGHTHOUSE = "Skerrow Lighthouse"
PERSON = "Marie Lund"


def resolved(title: str, *sentences: str) -> list[str]:
    """The sentences of one segment after another."""
    pronouns = PronounResolver(page_subject(title))
    return [pronouns.resolve(sentence) for sentence in sentences]


@pytest.mark.parametrize(
    ("title", "sentence", "expected"),
    [
        (PERSON, "She was born in Oslo.", "Marie Lund was born in Oslo."),
        ("Tom Hale", "He was born in Oslo.", "Tom Hale was born in Oslo."),
        (PERSON, "Her father was a teacher.", "Marie Lund’s father was a teacher."),
        ("Tom Hale", "His house burned.", "Tom Hale’s house burned."),
        ("Anna Jones", "Her house burned.", "Anna Jones’ house burned."),
        (
            PERSON,
            "Born in Oslo to a teacher, she moved to Rome.",
            "Born in Oslo to a teacher, Marie Lund moved to Rome.",
        ),
        (PERSON, "In 1890 she moved to Rome.", "In 1890 Marie Lund moved to Rome."),
    ],
)
def test_resolve_leading_pronoun_of_a_person_is_replaced_by_the_title(
    title: str, sentence: str, expected: str
) -> None:
    assert resolved(title, sentence) == [expected]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("It was lit in 1881.", "Skerrow Lighthouse was lit in 1881."),
        ("Its lamp was lit in 1881.", "Skerrow Lighthouse’s lamp was lit in 1881."),
        ("Built of stone, it burned down.", "Built of stone, Skerrow Lighthouse burned down."),
        ("The tower was lit.", "Skerrow Lighthouse was lit."),
        ("The tower’s lamp was lit.", "Skerrow Lighthouse’s lamp was lit."),
    ],
)
def test_resolve_it_is_the_thing_that_the_sentence_before_was_about(
    sentence: str, expected: str
) -> None:
    before = "Skerrow Lighthouse is a tower in Norway."
    assert resolved(LIGHTHOUSE, before, sentence)[1] == expected


@pytest.mark.parametrize(
    ("sentences", "why"),
    [
        (["It was lit in 1881."], "no sentence before"),
        (["Skerrow Lighthouse is a tower.", "Oslo is big.", "It was lit."], "Oslo stands between"),
        (["Skerrow Lighthouse is a tower.", "A tower fell.", "The tower was lit."], "two towers"),
        (["Skerrow Lighthouse is a tower.", "She was old."], "a thing is no person"),
    ],
)
def test_resolve_what_may_be_another_thing_is_left_alone(sentences: list[str], why: str) -> None:
    assert resolved(LIGHTHOUSE, *sentences)[-1] == sentences[-1], why


@pytest.mark.parametrize(
    ("title", "sentences", "expected"),
    [
        ("La Maison", ["She asked for no money."], "She asked for no money."),
        ("Ola Berg", ["Tom Hale came.", "He was old."], "He was old."),
        ("Ola Berg", ["Anna Hale came.", "He was old."], "Ola Berg was old."),
        ("Marie Lund", ["Her mother came.", "She was old."], "She was old."),
        ("News", ["Tom Hale met Anna Lund.", "She was old."], "Anna Lund was old."),
        ("News", ["Tom Hale met Ola Berg.", "He was old."], "He was old."),
    ],
)
def test_resolve_person_is_replaced_where_one_alone_can_be_meant(
    title: str, sentences: list[str], expected: str
) -> None:
    assert resolved(title, *sentences)[-1] == expected


def test_resolve_thing_that_a_sentence_defines_is_known_where_the_title_is_no_name() -> None:
    assert resolved("The best languages", "Kotlin is a language.", "It runs on phones.")[1] == (
        "Kotlin runs on phones."
    )


def test_resolve_it_of_a_film_is_the_film() -> None:
    assert resolved(
        "The Third Man",
        "The Third Man is a 1949 film by Carol Reed.",
        "It was released in September.",
        "Its score is famous.",
    )[1:] == ["The Third Man was released in September.", "The Third Man’s score is famous."]


def test_resolve_first_sentence_tells_that_a_name_of_two_words_is_no_person() -> None:
    assert resolved("Annie Hall", "Annie Hall is a 1977 film.", "It was a success.")[1] == (
        "Annie Hall was a success."
    )


@pytest.mark.parametrize(
    "introduction",
    [
        "Mary Jolene is a song by American singer Dolly Parton.",
        "Mary Jolene is a 1949 film about an actor.",
        "Mary Jolene is a novel about a king and his daughter.",
        "Mary Jolene is an album by the drummer of Queen.",
    ],
)
def test_resolve_work_by_a_person_is_no_person(introduction: str) -> None:
    assert resolved("Mary Jolene", introduction, "It was a success.", "She moved to Rome.")[1:] == [
        "Mary Jolene was a success.",
        "She moved to Rome.",
    ]


@pytest.mark.parametrize(
    "introduction",
    [
        "Björk is an Icelandic singer.",
        "Björk is a writer of songs about a house by the sea.",
        "Björk is the daughter of a director.",
        "Björk was one of the founders of a club.",
    ],
)
def test_resolve_first_sentence_tells_that_a_name_of_one_word_is_a_person(
    introduction: str,
) -> None:
    assert resolved("Björk", introduction, "She was born in 1965.")[1] == (
        "Björk was born in 1965."
    )


def test_resolve_life_dates_tell_a_person() -> None:
    assert (
        resolved("Hypatia", "Hypatia (1350–1415) was a head of a school.", "She died in Rome.")[1]
        == "Hypatia died in Rome."
    )


@pytest.mark.parametrize(
    "sentence",
    [
        "It is known that ships sank here.",
        "It is also known that ships sank here.",
        "It is widely believed that ships sank here.",
        "It is not clear when the lamp was lit.",
        "It is now thought that ships sank here.",
        "It has been said that ships sank here.",
        "It can be argued that the lamp saved ships.",
        "It should be noted that the rock is steep.",
        "It is worth noting that the rock is steep.",
        "It was not until 1990 that the lamp was lit.",
        "It was in 1990 that the lamp was lit.",
        "It was here that the ship sank.",
        "It was Tom Hale who built the tower.",
        "It took ten years to build the tower.",
        "It seems that ships sank here.",
        "It rained for years.",
        "It’s a tall tower.",
    ],
)
def test_resolve_it_that_stands_for_nothing_is_left_alone(sentence: str) -> None:
    assert resolved(LIGHTHOUSE, sentence) == [sentence]


@pytest.mark.parametrize(
    ("title", "sentence"),
    [
        (LIGHTHOUSE, "He lit the lamp."),
        (LIGHTHOUSE, "Her keepers left."),
        (PERSON, "It was a great success."),
        (PERSON, "Its walls are thick."),
        (PERSON, "They met in Rome."),
        (PERSON, "Her Majesty came to Rome."),
        (PERSON, "Hero and Leander met."),
        (LIGHTHOUSE, "ExtractedItems were sold."),
        (LIGHTHOUSE, "IT was sold."),
        (LIGHTHOUSE, "Built on a rock in the sea, she burned down."),
        (LIGHTHOUSE, "When it was lit, ships came."),
        (PERSON, "“She was born in Oslo,” he said."),
        (PERSON, "Served with lime, the dish is popular."),
        (PERSON, "Was she born in Oslo?"),
        ("", "She was born in Oslo."),
        ("How to Cook", "It was lit in 1881."),
    ],
)
def test_resolve_sentence_where_no_rule_is_safe_stands_as_it_is(title: str, sentence: str) -> None:
    assert resolved(title, sentence) == [sentence]


def test_resolve_pronoun_after_another_name_took_over_is_left_alone() -> None:
    sentences = ["Marie Lund was a chemist.", "Anna Berg met Tom Hale.", "She was born in Rome."]
    assert resolved(PERSON, *sentences) == sentences


def test_resolve_pronoun_after_an_opening_adverb_or_date_is_still_the_title() -> None:
    assert (
        resolved(
            PERSON, "In 1890 the war began.", "However, little changed.", "She moved to Rome."
        )[2]
        == "Marie Lund moved to Rome."
    )


@settings(max_examples=150)
@given(st.text(max_size=40), st.lists(st.text(max_size=60), max_size=5))
def test_resolve_any_title_and_sentences_changes_at_most_the_beginning(
    title: str, sentences: list[str]
) -> None:
    for before, after in zip(sentences, resolved(title, *sentences), strict=True):
        assert after == before or after.endswith(before[-1:])


@pytest.mark.parametrize(
    ("title", "sentences", "expected"),
    [
        # Others are named, but the sentence before was about the page's person.
        (
            "Tom Hale",
            ["Tom Hale was a son of Ola Berg.", "He was educated in Rome."],
            "Tom Hale was educated in Rome.",
        ),
        (
            "Thomas Hale, 2nd Duke of Lund",
            ["Thomas Hale was a nobleman.", "His brother was Ola Hale."],
            "Thomas Hale, 2nd Duke of Lund’s brother was Ola Hale.",
        ),
        (
            "Tim Hale (executive)",
            ["Timothy M. Hale met Ola Berg.", "He was a manager."],
            "Tim Hale was a manager.",
        ),
        (
            "Zea nicaraguensis",
            ["Zea nicaraguensis is a grass.", "It grows in Lund."],
            "Zea nicaraguensis grows in Lund.",
        ),
        (
            "The Third Man",
            ["The Third Man is a film.", "This film is based on a novel."],
            "The Third Man is based on a novel.",
        ),
        ("Tom Hale", ["Tom Hale’s father met Ola Berg.", "He was old."], "He was old."),
        ("Tom Hale", ["Ola Berg met Tom Hale.", "He was old."], "He was old."),
        ("Anna Berg", ["Anna Berg met Ola Lund and Tom Hale.", "He was old."], "He was old."),
    ],
)
def test_resolve_pronoun_is_what_the_sentence_before_was_about(
    title: str, sentences: list[str], expected: str
) -> None:
    assert resolved(title, *sentences)[-1] == expected


@pytest.mark.parametrize(
    ("title", "introduction", "follows", "named"),
    [
        (
            "Tern Boats",
            "Tern Boats (Danish: Terne; ) is a pale lager.",
            "It was formerly known as Hale.",
            "Tern Boats was formerly known as Hale.",
        ),
        (
            "Tom Hale",
            "Tomas Erik Hale (born 1 May 1920) was a painter.",
            "On 3 June 1944 he moved to Oslo.",
            "On 3 June 1944 Tom Hale moved to Oslo.",
        ),
        (
            "Aki Ro",
            "Aki Ro is a Norwegian singer.",
            "A friend of the sea, she sang.",
            "A friend of the sea, Aki Ro sang.",
        ),
        ("Tom Hale", "Tom Hale is a canoer.", "He won.", "Tom Hale won."),
        ("The Mill (1920 film)", "", "The film was lost.", "The Mill was lost."),
        (
            "Stop! Oh, Stop!",
            "Stop! Oh, Stop! is a play.",
            "It is short.",
            "Stop! Oh, Stop! is short.",
        ),
    ],
)
def test_resolve_page_that_was_introduced_is_named(
    title: str, introduction: str, follows: str, named: str
) -> None:
    assert resolved(title, introduction, follows)[1] == named


def test_resolve_person_whose_sex_is_unknown_is_not_taken_for_another() -> None:
    introduction = "Aki Ro is a writer, and wrote a book with Tom Hale."
    sentences = resolved("Aki Ro", introduction, "Oslo has a port.", "He was a keeper.")
    assert sentences[2] == "He was a keeper."
