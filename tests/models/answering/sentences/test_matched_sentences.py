from __future__ import annotations

import math

from factmill.models.answering.answer_candidates import Source
from factmill.models.answering.sentences.matched_sentences import (
    all_sentences,
    rarity,
    sentences_of,
)
from factmill.models.answering.words.asked_for import asked_for

NAMES = ("Saltmere", "Fenby", "Elland", "Harrow", "Corran", "Dunmore", "Ashby", "Whitcombe")


def test_the_words_of_a_sentence_weigh_the_same_in_every_order() -> None:
    text = " ".join(
        f"The pier of {' and '.join(NAMES[: n + 1])} is old." for n in range(len(NAMES))
    )
    for number in range(40):
        asked = asked_for(f"Which pier of {' '.join(NAMES)} has {number} lamps and {number} posts?")
        weights = rarity(asked, sentences_of(text))

        for matched in all_sentences(asked, [Source(text, "Piers", 0.5)]):
            words = asked.stems & matched.sentence.stems
            assert matched.covered == math.fsum(weights[word] for word in words)
