import pytest

from factmill.models.readers.heuristic.headed_answers import headed_answers
from factmill.models.readers.heuristic.reader import HeuristicReader
from factmill.models.readers.reading import PageContext
from factmill.schemas.records import Segment

QUESTION = "What does the Skell Pass cost?"
ANSWER = "The Skell Pass costs 12 euros. Children pay half of that."


def pairs(text: str, heading: str = QUESTION, title: str = "Skell Ferries") -> list[str]:
    return [text[slice(*one.answer)] for one in headed_answers(text, heading, title)]


def test_question_that_is_the_heading_is_answered_by_the_paragraph_below() -> None:
    (found,) = headed_answers(f"{QUESTION}\n{ANSWER}\nBuy it here.", QUESTION, "Skell Ferries")
    text = f"{QUESTION}\n{ANSWER}\nBuy it here."
    assert (text[slice(*found.question)], text[slice(*found.answer)]) == (QUESTION, ANSWER)


def test_question_below_frequent_questions_is_answered() -> None:
    assert pairs(f"{QUESTION}\n{ANSWER}", heading="FAQ") == [ANSWER]


def test_question_below_another_heading_is_a_teaser() -> None:
    assert pairs(f"{QUESTION}\n{ANSWER}", heading="Latest news") == []


def test_answer_ends_before_what_is_not_in_it() -> None:
    assert pairs(f"{QUESTION}\n{ANSWER} Other prices are on the following list.") == [ANSWER]
    assert pairs(f"{QUESTION}\nThe Skell Pass costs the following sum.") == []


def test_title_of_a_thread_is_not_answered() -> None:
    assert pairs(f"{QUESTION}\n{ANSWER}", title=f"{QUESTION} | Forum") == []


def test_sentences_beyond_the_longest_answer_are_left_out() -> None:
    longer = f"The Skell Pass is old{' and old' * 30}."
    assert pairs(f"{QUESTION}\n{ANSWER} {longer}") == [ANSWER]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (QUESTION, "The weather in Norway is often bad."),
        (QUESTION, "It depends on the Skell Pass that was bought, and what it costs."),
        (QUESTION, "I paid 12 euros for what my Skell Pass costs."),
        (QUESTION, "Skell Pass prices and costs"),
        ("What about the Skell Pass?", ANSWER),
        ("What does the Skell team cost?", "The Skell team costs a lot of money."),
        ("Why Choose Skell Ferries?", "Skell Ferries is the best that you can choose."),
        ("Why is Skell Pass cheap?", "Skell Pass is cheap and good."),
        ("Do Skell ferries carry bicycles today?", "Skell ferries carry bicycles."),
        ("Is Skell Pass good for bicycles?", "Skell Ferries was founded in 1873."),
        ("What is a ferry pass?", "If you go by ferry, a ferry pass is what costs least."),
        ("What is a ferry pass?", "Boats are slow. A ferry pass is a ticket for a month."),
        ("What does a ferry pass cost?", "Our ferry pass costs 12 euros."),
    ],
)
def test_what_may_be_no_answer_is_not_paired(question: str, answer: str) -> None:
    assert pairs(f"{question}\n{answer}", heading=question) == []


def test_yes_answers_by_itself() -> None:
    question = "Do Skell ferries carry bicycles?"
    answer = "Yes. They have room for 20."
    assert pairs(f"{question}\n{answer}", question) == []
    answer = "Yes. Skell ferries carry 20 bicycles."
    assert pairs(f"{question}\n{answer}", question) == [answer]


def test_reader_pairs_the_question_once_and_states_the_answer() -> None:
    segment = Segment("s", "p", 0, "text", f"{QUESTION}\n{ANSWER}", QUESTION, None, None)
    reading = HeuristicReader().read(segment, PageContext("Skell Ferries"))
    assert [(one.text, one.rule) for one in reading.questions] == [(QUESTION, "headed")]
    assert reading.statements[0].text == "The Skell Pass costs 12 euros."
