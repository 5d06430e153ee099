from __future__ import annotations

import pytest

from factmill.models.answering.rewriting.rewriting import put_in, rewritten, variants


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("When was [1] born?", "When was Ann Lee born?"),
        ("What is [answer 1]'s country?", "What is Ann Lee's country?"),
        ("When was #1 born?", "When was Ann Lee born?"),
        ("When was [answer to Q1] born?", "When was Ann Lee born?"),
        ("When was [the answer to sub-question 1] born?", "When was Ann Lee born?"),
        ("When was [answer from 1] born?", "When was Ann Lee born?"),
        ("When was [2] born?", "When was [2] born?"),
    ],
)
def test_the_answer_stands_where_its_question_is_named(question: str, text: str) -> None:
    assert rewritten(question, {"1": "Ann Lee"} if "2" not in question else {"3": ""}) == text


@pytest.mark.parametrize(
    ("question", "answer", "text"),
    [
        ("Which parts does this condition affect?", "gout", "Which parts does gout affect?"),
        ("Who designed this Italian film's poster?", "Amélie", "Who designed Amélie's poster?"),
        ("Which river flows in that city?", "Bern", "Which river flows in Bern?"),
        ("Where did this composer die?", "Bach", "Where did Bach die?"),
        ("Where did this French composer study?", "Ravel", "Where did Ravel study?"),
        ("Where was this individual born?", "Ann Lee", "Where was Ann Lee born?"),
        ("Who wrote this musical?", "Cats", "Who wrote Cats?"),
        ("When did this Ann Lee die?", "Ann Lee", "When did Ann Lee die?"),
        ("Where was his wife born?", "Bach", "Where was Bach's wife born?"),
        ("Where did she die?", "Ann Lee", "Where did Ann Lee die?"),
        ("Who is [director's name]'s wife?", "Ann Lee", "Who is Ann Lee's wife?"),
        ("Where was It's a Gift shot by him?", "Ann Lee", "Where was It's a Gift shot by Ann Lee?"),
        ("Who wrote 'her' about her son?", "Ann Lee", "Who wrote 'her' about Ann Lee's son?"),
        ("Who sang the song that won?", "Ann Lee", "Who sang the song that won?"),
    ],
)  # fmt: skip
def test_words_that_refer_back_are_replaced(question: str, answer: str, text: str) -> None:
    assert put_in(question, answer) == text


def test_variants_carry_the_best_candidates_first() -> None:
    texts = variants("Did [1] meet [2]?", {"1": ["Ann", "Bob"], "2": ["Cid", "Dan"]}, most=3)

    assert texts == ["Did Ann meet Cid?", "Did Ann meet Dan?", "Did Bob meet Cid?"]


def test_a_question_without_answers_stays() -> None:
    assert variants("Did [1] win?", {"1": []}) == ["Did [1] win?"]
    assert variants("Did she win?", {}) == ["Did she win?"]


def test_what_puts_an_answer_in_may_be_given() -> None:
    def put(question: str, answer: str) -> str:
        return f"{question} {answer}!"

    assert rewritten("Where was he born?", {"1": "Bo"}, put) == "Where was he born? Bo!"
    assert rewritten("Where was [1] born?", {"1": "Bo"}, put) == "Where was Bo born?"
    assert variants("Who?", {"1": ["Bo", "Al"]}, put=put) == ["Who? Bo!", "Who? Al!"]


def test_a_question_that_can_be_asked_by_itself_stays() -> None:
    def put(question: str, answer: str) -> str:
        return f"{question} {answer}!"

    assert rewritten("When was Tarn released?", {"1": "Bo"}, put) == "When was Tarn released?"
    assert rewritten("When was [the film] released?", {"1": "Bo"}, put) == "When was Bo released?"
    numbered = "Who directed the film with the title found in sub-question 1?"
    assert rewritten(numbered, {"1": "Tarn"}, put) == "Who directed Tarn?"


def test_what_an_answer_was_described_by_is_replaced_before_ids_are() -> None:
    described = {"2": "the director of [1]"}
    answers = {"1": "Tarn", "2": "Bo"}

    text = rewritten("Was the director of [1] born before [1]?", answers, described=described)
    assert text == "Was Bo born before Tarn?"
    texts = variants(
        "Where was the director of [1] born?", {"1": ["Tarn"], "2": ["Bo", "Al"]},
        described=described,
    )  # fmt: skip
    assert texts == ["Where was Bo born?", "Where was Al born?"]
