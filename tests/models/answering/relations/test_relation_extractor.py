"""Relations are those of the page's own subject."""

from __future__ import annotations

import pytest

from factmill.models.answering.answer_candidates import Source
from factmill.models.answering.relations.relation_extractor import related, relation_of

GAMES = "The Saltmere Games were an Australian event. Ann Lee of Denmark won the mile."


@pytest.mark.parametrize(
    ("question", "sure"),
    [
        ("What is the nationality of Saltmere Games?", True),
        ("What is the nationality of Bob Fry at the Saltmere Games?", False),
    ],
)
def test_the_nationality_of_another_name_is_not_that_of_the_page(question: str, sure: bool) -> None:
    found = list(related(question, [Source(GAMES, "Saltmere Games", 0.9)]))

    assert found[0].text == "Australian"
    assert (found[0].score > 0.55) is sure


@pytest.mark.parametrize(
    "title", ["Ann Lee | Keepers of Oss", "Ann Lee: the woman with the lamp", "Lee, Ann - Register"]
)
def test_the_name_of_a_web_page_stands_before_its_site(title: str) -> None:
    page = Source("She died on 3 May 1931 in Oss.", title, 0.9)
    other = Source("She died on 4 June 1940 in Oss.", "Eve Fry | Keepers of Ann Lee", 0.9)

    found = list(related("When did Ann Lee die?", [other, page]))

    assert [one.text for one in found] == ["3 May 1931"]


def test_a_death_dates_what_follows_it() -> None:
    page = Source("After Lee's death in 1938 the place was given up.", "Ann Lee", 0.9)

    assert next(related("When did Ann Lee die?", [page])).text == "1938"


def test_a_number_is_no_relation() -> None:
    page = Source("Lee and her brother Caleb saved eleven sailors.", "Ann Lee", 0.9)

    assert list(related("Who was the brother of Ann Lee?", [page]))
    assert not list(related("How many sailors did Ann Lee and her brother save?", [page]))


def test_a_date_of_another_event_does_not_state_the_relation() -> None:
    page = Source("It was sold in 1932. It was opened in 1951.", "Tarn Mill", 0.9)

    found = list(related("When was Tarn Mill opened?", [page]))

    assert {one.text for one in found if one.score > 0.55} == {"1951"}


def test_a_question_of_thousands_of_characters_asks_for_no_relation() -> None:
    assert relation_of("When was it built?")
    assert relation_of("When was it built" + " when it" * 4000) is None


def test_a_page_about_a_word_of_the_question_is_not_about_its_name() -> None:
    page = Source("The Mother is played by Eve Fry.", "The Mother (Tarn)", 0.9)

    assert list(related("Who is the mother of the Tarn?", [page]))
    assert not list(related("Who is the mother of Ann Lee?", [page]))


def test_the_year_of_a_date_is_no_answer_of_its_own() -> None:
    page = Source("Ann Lee( March 21, 1922 – May 2, 1990) was a painter.", "Ann Lee", 0.9)

    assert next(related("When was Ann Lee born?", [page])).text == "March 21, 1922"
    years = [one.text for one in related("In which year was Ann Lee born?", [page])]
    assert "1922" in years


@pytest.mark.parametrize("owner", ["Ann Lee's", "Ann Lee’s"])
def test_a_possessive_of_the_question_has_the_page(owner: str) -> None:
    page = Source("She was the daughter of Bob Fry and Eve Fry.", "Ann Lee", 0.9)

    found = next(related(f"Who was {owner} mother?", [page]))

    assert (found.text, found.score > 0.55) == ("Eve Fry", True)


@pytest.mark.parametrize(
    "question",
    ["When did Ann Lee's brother Tom die?", "What did Ann Lee's brother say?"],
)
def test_what_the_owned_one_did_is_not_about_the_page(question: str) -> None:
    page = Source("Her brother, Tom Lee, was a smith. She died in 1952.", "Ann Lee", 0.9)

    assert all(one.score <= 0.55 for one in related(question, [page]))


@pytest.mark.parametrize("owner", ["Eve Fry's", "Her husband's", "Eve Fry's first husband's"])
def test_the_father_of_another_is_not_that_of_the_page(owner: str) -> None:
    page = Source(f"{owner} father was Tom Ash. Her father was Bob Lee.", "Ann Lee", 0.9)

    best = max(related("Who was the father of Ann Lee?", [page]), key=lambda one: one.score)

    assert best.text == "Bob Lee"


def test_the_father_of_a_longer_name_is_that_of_the_page() -> None:
    page = Source("Ann May Lee's father was Bob Lee.", "Ann Lee", 0.9)

    assert next(related("Who was the father of Ann Lee?", [page])).score > 0.55


def test_an_era_is_no_name() -> None:
    page = Source("She was married circa 9 AD.", "Ann Lee", 0.9)

    assert not list(related("Who was the husband of Ann Lee?", [page]))


def test_a_title_says_whose_song_it_is() -> None:
    text = "“Tarn” is a single, written by Bob Fry for Ann Lee's debut."
    song, other = Source(text, "Tarn (Ann Lee song)", 0.9), Source(text, "Tarn (Eve Ash song)", 0.9)

    found = max(related("Who sang Tarn (Ann Lee song)?", [song]), key=lambda one: one.score)
    others = related("Who sang Tarn (Eve Ash song)?", [other])

    assert (found.text, text[found.start : found.end]) == ("Ann Lee", "Ann Lee")
    assert "Eve Ash" not in {one.text for one in others}


@pytest.mark.parametrize(
    ("parents", "father"),
    [
        ("Christian II, Prince of Oss, and Eve Fry", "Christian II, Prince of Oss"),
        ("Danish painter Bob Fry", "Bob Fry"),
        ("Charles I and IV, Emperor of Oss", "Charles I"),
        ("Emperor of Oss", "Emperor of Oss"),
    ],
)
def test_a_name_is_neither_a_number_nor_cut_behind_a_given_name(parents: str, father: str) -> None:
    page = Source(f"She was a daughter of {parents}.", "Ann Lee", 0.9)

    found = list(related("Who was the father of Ann Lee?", [page]))

    assert found[0].text == father
    assert "IV" not in {one.text.split(",")[0] for one in found}
