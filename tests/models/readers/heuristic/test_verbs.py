"""Which words are verbs with a tense by their form and neighbours, and which sentences ask."""

import pytest

from factmill.models.readers.heuristic.lexicon import words_of
from factmill.models.readers.heuristic.statements import states_something
from factmill.models.readers.heuristic.verbs import asks_to_do


@pytest.mark.parametrize(
    "sentence",
    [
        "Bactrian camels take their name from a region.",
        "Lund qualified for the final in 2017.",
        "The lake closes on Mondays.",
        "Animals at the lake include otters and herons.",
        "The Oslo mission included congregations in Bergen.",
        "Critics praised his voice.",
        "Broken Arrow is a western film.",
        "The ports of Oslo, Bergen and West Lund form Region Nord.",
        "Pregnancy resulted in increased weight (P<0.01).",
    ],
)
def test_states_something_sentence_with_a_plain_verb_does(sentence: str) -> None:
    assert states_something(sentence, english=True)


@pytest.mark.parametrize(
    "sentence",
    [
        "Translated by Tom Hale.",
        "A house built in 1900.",
        "Potential for faster growth thanks to a smaller directory.",
        "Insight into activities, with opportunities like School.",
        "Deliver rich content and measure it.",
        "Always keep a bucket nearby.",
        "Only available in red at the shop.",
        "Machine learning: Building models for the market.",
        "Adjust for trends: Monitor changes in cost.",
    ],
)
def test_states_something_fragment_or_request_does_not(sentence: str) -> None:
    assert not states_something(sentence, english=True)


@pytest.mark.parametrize(
    ("sentence", "asks"),
    [
        ("Deliver rich content and measure it.", True),
        ("Fine-tune the models for the market.", True),
        ("Research shows that it works.", False),
        ("Water quality is good.", False),
        ("Work began in May.", False),
        ("Name (born 1900) was a painter.", False),
    ],
)
def test_asks_to_do_a_verb_without_a_subject_asks(sentence: str, asks: bool) -> None:
    assert asks_to_do(words_of(sentence)) is asks
