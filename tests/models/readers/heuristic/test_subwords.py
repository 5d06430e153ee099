"""Words and their subwords."""

from factmill.models.readers.heuristic.subwords import split_words, subwords_of

VOCABULARY = {
    subword: number
    for number, subword in enumerate(["0", "un", "##lit", "##l", "lamp", "cafe", "."])
}


def test_words_and_marks_stand_apart_and_the_rest_is_cut() -> None:
    assert split_words("Hale's 30 lamps.", 9) == ["Hale", "'", "s", "30", "lamps", "."]
    assert split_words("a b c", 2) == ["a", "b"]


def test_longest_subwords_come_first() -> None:
    assert subwords_of("Unlit", VOCABULARY) == [1, 2]
    assert subwords_of("Lamp", VOCABULARY) == [4]


def test_numbers_are_one_word_and_accents_are_left_out() -> None:
    assert subwords_of("1972", VOCABULARY) == subwords_of("5", VOCABULARY) == [0]
    assert subwords_of("Café", VOCABULARY) == [5]


def test_what_cannot_be_spelt_has_no_subwords() -> None:
    assert subwords_of("unlamp", VOCABULARY) == []
    assert subwords_of("灯", VOCABULARY) == []
    assert subwords_of("un" + "lit" * 20, VOCABULARY) == []
