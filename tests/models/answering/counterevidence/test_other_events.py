"""A date or a place is that of the event of its clause."""

from __future__ import annotations

import pytest

from factmill.models.answering.counterevidence.other_events import left_of_event
from factmill.models.answering.words.asked_for import asked_for

LIFE = "Ann Lee (1821-1899) was a printer, who was born in Oss."


@pytest.mark.parametrize(
    ("question", "text", "said", "is_of_another"),
    [
        ("When was Tarn Mill closed?", "It was opened on 4 June 1868.", "4 June 1868", True),
        ("When was Tarn Mill sold?", "It was founded in 1822 by Ann Lee.", "1822", True),
        ("When was it sold?", "It was built in 1742, and it was sold in 1790.", "1742", True),
        ("When was it sold?", "It was built in 1742, and it was sold in 1790.", "1790", False),
        ("When was it sold?", "It was built by Lee, a mason, in 1742 and sold.", "1742", True),
        ("When was it closed?", "Opened in 1868, and in 1964 it was closed.", "1964", False),
        ("When was it reopened?", "In 1979 volunteers reopened the line.", "1979", False),
        ("When was it opened?", "In 1979 volunteers reopened the line.", "1979", True),
        # What has only a date in its clause belongs to the clause behind an "and", else before it.
        ("When was it closed?", "It opened in 1868, and in 1964, it was closed.", "1964", False),
        # The comma within a date ends no clause.
        (
            "When was it closed?",
            "Sold in May, on June 4, 1868 it was closed.",
            "June 4, 1868",
            False,
        ),
        ("When did it move?", "It stood at the quay until 1874, when it moved.", "1874", False),
        ("When were they merged?", "It was formed in 1974, when they were merged.", "1974", False),
        ("When did it close?", "It closed when the mill was sold in 1964.", "1964", False),
        # A beginning, a verb that no list has, and none at all may stand for the event.
        ("When was it built?", "It was opened in 1868.", "1868", False),
        ("When was the horn switched off?", "It was silenced in 2004.", "2004", False),
        ("When was the railway closed?", "The last train ran in 1964.", "1964", False),
        ("When was Jaws released?", "Jaws is a 1975 film written by Ann Lee.", "1975", False),
        ("When was it restored?", "It was open from 1950.", "1950", False),
        (
            "When did she become captain?",
            "She joined in 2004 and took command in 2017.",
            "2004",
            True,
        ),
        (
            "When did she become captain?",
            "She joined in 2004 and took command in 2017.",
            "2017",
            False,
        ),
        ("When did she become captain?", "She joined the crew as captain in 2004.", "2004", False),
        ("When did it become a museum?", "It was converted in 1990.", "1990", False),
        ("When did Ann Lee retire?", LIFE, "1899", True),
        ("When did Ann Lee die?", LIFE, "1899", False),
        ("Where did Ann Lee die?", LIFE, "Oss", True),
        ("Where was Ann Lee born?", LIFE, "Oss", False),
        ("Where was Tarn Mill sold?", "Tarn Mill was built in Oss.", "Oss", True),
        # "sold" says which mill is meant.
        ("Where was the mill that was sold?", "Tarn Mill was built in Oss.", "Oss", False),
    ],
)
def test_what_another_event_has_is_not_the_answer(
    question: str, text: str, said: str, is_of_another: bool
) -> None:
    start = text.index(said)

    left = left_of_event(asked_for(question), text, (start, start + len(said)))

    assert (left < 0.5) is is_of_another
