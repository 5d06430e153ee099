from __future__ import annotations

import pytest

from factmill.models.answering.answer_candidates import Source
from factmill.models.answering.counterevidence.excluded_things import is_left_out
from factmill.models.answering.sentences.sentence_answers import answers_in_sentences
from factmill.models.answering.words.asked_for import asked_for

MAKES = "The brewery makes Old Meg, a dark porter, and the bitter Fell Ale."


@pytest.mark.parametrize(
    ("question", "said", "left_out"),
    [
        ("Which beers does the brewery make besides its porter?", "Old Meg", True),
        ("Which beers does the brewery make besides its porter?", "Fell Ale", False),
        ("Apart from the bitter, which beer does the brewery make?", "Fell Ale", True),
        ("Apart from the bitter, which beer does the brewery make?", "Old Meg", False),
        ("Which beer other than Old Meg does it make?", "Fell Ale", False),
        ("What does it make besides Old Meg?", "Old Meg, a dark porter", True),
        ("Which porter does the brewery make?", "Old Meg", False),
        ("Which beer does the brewery make apart from that?", "Old Meg", False),
    ],
)
def test_what_a_question_leaves_out_has_its_words_or_stands_beside_them(
    question: str, said: str, left_out: bool
) -> None:
    start = MAKES.index(said)

    assert is_left_out(asked_for(question), MAKES, (start, start + len(said))) is left_out


def test_what_is_left_out_is_a_less_likely_answer() -> None:
    def likely(question: str) -> float:
        found = answers_in_sentences(asked_for(question), [Source(MAKES, "Brewery", 0.8)])
        return next(one.score for one in found if one.text == "Old Meg")

    with_porter = likely("Which beer does the brewery make beside its porter?")

    assert likely("Which beer does the brewery make besides its porter?") < 0.2 * with_porter
