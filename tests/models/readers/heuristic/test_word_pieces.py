"""Words and their pieces."""

from factmill.models.readers.heuristic.word_pieces import pieces_of, split_words

VOCABULARY = {
    piece: number for number, piece in enumerate(["0", "un", "##lit", "##l", "lamp", "cafe", "."])
}


def test_words_and_marks_stand_apart_and_the_rest_is_cut() -> None:
    assert split_words("Hale's 30 lamps.", 9) == ["Hale", "'", "s", "30", "lamps", "."]
    assert split_words("a b c", 2) == ["a", "b"]


def test_longest_pieces_come_first() -> None:
    assert pieces_of("Unlit", VOCABULARY) == [1, 2]
    assert pieces_of("Lamp", VOCABULARY) == [4]


def test_numbers_are_one_word_and_accents_are_left_out() -> None:
    assert pieces_of("1972", VOCABULARY) == pieces_of("5", VOCABULARY) == [0]
    assert pieces_of("Café", VOCABULARY) == [5]


def test_what_cannot_be_spelt_has_no_pieces() -> None:
    assert pieces_of("unlamp", VOCABULARY) == []
    assert pieces_of("灯", VOCABULARY) == []
    assert pieces_of("un" + "lit" * 20, VOCABULARY) == []
