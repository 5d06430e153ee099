from __future__ import annotations

import pytest

from factmill.models.lexical.bm25 import phrase_hashes, word_hash, word_hashes
from factmill.models.lexical.page_names import first_naming, name_hash


@pytest.mark.parametrize(
    ("title", "phrase"),
    [
        ("Helena Voss", "helena voss"),
        ("The Pledge (film)", "the pledge"),
        ("Gannet Rock - Lights of the coast", "gannet rock"),
        ("Gannet Rock | Lights", "Gannet  Rock"),
        ("Röntgen", "rontgen"),
        ("a b c d e f g h", "a b c d e f g h"),
    ],
)
def test_name_hash_is_that_of_the_phrase_that_names_the_page(title: str, phrase: str) -> None:
    *_, (whole,) = phrase_hashes(word_hashes(phrase))
    assert name_hash(title) == whole != 0


def test_name_hash_of_one_word_is_that_of_the_word() -> None:
    assert name_hash("Bridges") == word_hash("bridges")


@pytest.mark.parametrize("title", ["", "...", "a b c d e f g h i"])
def test_name_hash_of_what_is_no_name_is_none(title: str) -> None:
    assert name_hash(title) == 0


@pytest.mark.parametrize(
    ("title", "texts", "number"),
    [
        ("Gannet Rock", ["The rock.", "They saw gannet rock burn.", "Gannet Rock"], 1),
        ("Gannet Rock", ["On Gannet Rock, the lamp", "Gannet Rock"], 0),
        ("Gannet Rock", ["Gannet Rocks are many.", "A gannet, a rock.", "ungannet rock"], None),
        ("Gannet Rock (film)", ["in (Gannet-Rock)"], 0),
        ("Röntgen", ["By Rontgen.", "RÖNTGEN"], 0),
        ("Rontgen", ["no one", "by Röntgen"], 1),
        ("Ro", ["Rö\u0308 or ro\u0308 Strasse", "ro"], 0),
        ("...", ["..."], None),
        ("Gannet Rock", [], None),
    ],
)
def test_first_naming_is_the_first_text_with_the_words_of_the_name_in_a_row(
    title: str, texts: list[str], number: int | None
) -> None:
    assert first_naming(title, texts) == number
