"""CompactRAG's rules for a question, by token and never by substring."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmill.models.readers.question_rules import (
    MAX_QUESTION_WORDS,
    PRONOUNS,
    QUESTION_WORDS,
    pair_faults,
    question_faults,
    words,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" ,.!? ", []),
        ("The lamp was lit.", ["The", "lamp", "was", "lit"]),
        ("a well-known U.S. law", ["a", "well-known", "U.S", "law"]),
        ("O’Neill's 3.5 km", ["O’Neill's", "3.5", "km"]),
        ("Åse_Lund", ["Åse", "Lund"]),
        ("東京 2024", ["東京", "2024"]),
    ],
)
def test_words_of_a_text_count_joined_words_once(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    "question",
    [
        "Who designed the Eiffel Tower?",
        "When was Oslo founded?",
        "What is the height of K2?",
        "Is Oslo the capital of Norway?",
        "What is 7 plus 5?",
        "Which city hosts the Islam Expo?",  # "is" in "Islam"
        "What is the city of Bergen?",  # "it" in "city"
        "Who was the heir of the Usher house?",  # "he" in "heir", "us" in "Usher"
        "What did the US sign?",
        "Who works in IT at Oslo?",
        "What does IT mean in Norway?",
        "Who led the US Army in WE?",
    ],
)
def test_question_faults_good_question_has_none(question: str) -> None:
    assert question_faults(question) == []


@pytest.mark.parametrize(
    ("question", "faults"),
    [
        ("Who designed the Eiffel Tower", ["no_question_mark"]),
        ("Who designed the Eiffel Tower? ", ["no_question_mark"]),
        ("Name the capital of Norway?", ["no_question_word"]),
        ("Islam began in Arabia?", ["no_question_word"]),
        ("Canada borders Alaska?", ["no_question_word"]),
        ("Whatever did Tom Hale build?", ["no_question_word"]),
        ("When did it open in Oslo?", ["pronoun"]),
        ("When did It open in Oslo?", ["pronoun"]),
        ("Who told us about Oslo?", ["pronoun"]),
        ("Who told Us about Oslo?", ["pronoun"]),
        ("Where was his house in Oslo?", ["pronoun"]),
        ("What is this Norway?", ["pronoun"]),
        ("Should I visit Oslo?", ["pronoun"]),
        ("Why Do I Care About Oslo?", ["pronoun"]),
        ("Is Oslo right for me?", ["pronoun"]),
        ("What is the capital?", ["no_entity"]),
        ("What?", ["no_entity"]),
        ("?", ["no_question_word", "no_entity"]),
        ("", ["no_question_mark", "no_question_word", "no_entity"]),
        ("it", ["no_question_mark", "no_question_word", "pronoun", "no_entity"]),
    ],
)
def test_question_faults_bad_question_names_each(question: str, faults: list[str]) -> None:
    assert question_faults(question) == faults


def test_question_faults_twenty_words_are_allowed_and_more_are_not() -> None:
    question = "Who built the old stone bridge over the river" + " at Oslo" * 6 + "?"
    assert len(words(question)) == 21
    assert question_faults(question) == ["too_long"]
    assert question_faults(question.replace("old ", "")) == []


@pytest.mark.parametrize(
    ("answer", "faults"),
    [
        ("1881", []),
        ("?", ["answer_empty"]),
        ("in Oslo", ["answer_in_question"]),
        ("os", []),
        ("a " * 61, ["answer_too_long"]),
    ],
)
def test_pair_faults_of_an_answer(answer: str, faults: list[str]) -> None:
    assert pair_faults("Who built a bridge in Oslo?", answer) == faults


@pytest.mark.parametrize("pronoun", sorted(PRONOUNS))
def test_question_faults_every_pronoun_in_lower_case_is_one(pronoun: str) -> None:
    assert question_faults(f"What did {pronoun} see in Oslo?") == ["pronoun"]


@pytest.mark.parametrize("word", sorted(QUESTION_WORDS))
def test_question_faults_every_question_word_opens_a_question_in_any_case(word: str) -> None:
    assert question_faults(f"{word.capitalize()} Oslo?") == []
    assert question_faults(f"{word} Oslo?") == []


@pytest.mark.parametrize("contraction", ["it's", "he’s", "they're", "we’ve", "I'm", "she'd"])
def test_question_faults_pronoun_within_a_contraction_is_one(contraction: str) -> None:
    assert question_faults(f"Who said {contraction} seen in Oslo?") == ["pronoun"]


@pytest.mark.parametrize(
    "question",
    [
        "When did World War I end?",
        "Who was Elizabeth I?",
        "Who was Charles I's heir?",
        "Who married Charles I’s heir?",
        "What did I. M. Hale write?",
    ],
)
def test_question_faults_roman_numeral_one_is_no_pronoun(question: str) -> None:
    assert question_faults(question) == []


@settings(max_examples=200)
@given(st.one_of(st.text(max_size=80), st.text(max_size=80).map(lambda text: f"Who {text}?")))
def test_question_faults_any_text_gives_known_codes_once_each(text: str) -> None:
    faults = question_faults(text)
    in_order = ["no_question_mark", "no_question_word", "too_long", "pronoun", "no_entity"]
    assert faults == [code for code in in_order if code in faults]
    assert ("no_question_mark" in faults) != text.endswith("?")
    assert ("too_long" in faults) == (len(words(text)) > MAX_QUESTION_WORDS)
