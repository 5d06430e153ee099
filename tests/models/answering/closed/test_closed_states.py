"""Yes or no where the page names a state in other words, or its opposite."""

from __future__ import annotations

import pytest

from factmill.models.answering.answer_candidates import Source
from factmill.models.answering.closed.closed_answers import closed_answers
from factmill.models.answering.closed.closed_states import in_plain_words
from factmill.models.answering.words.asked_for import asked_for


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        ("Do I have to pay to get into the Fell Fair?", "Entry to the Fell Fair is free.", "no"),
        ("Do I have to buy a ticket for the Fell Fair?", "The Fell Fair is free.", "no"),
        ("Is the Fell Fair free?", "Visitors of the Fell Fair pay at the door.", "no"),
        ("Was Ann Lee's husband rich?", "Ann Lee married in Oss.", ""),
        ("Did Ann Lee have a husband?", "Ann Lee never married.", "no"),
        ("Did Ann Lee ever have a wife?", "Ann Lee got married in Oss.", "yes"),
        ("Was anyone injured at the Fell Race?", "Nobody was hurt at the Fell Race.", "no"),
        ("Was anyone injured at the Fell Race?", "At the Fell Race all were unhurt.", "no"),
        ("Did the crew of the Fell lose their lives?", "The crew of the Fell survived.", "no"),
        ("Was the Fell Race called off?", "The Fell Race was cancelled.", "yes"),
        ("Was the Fell Race called off?", "The Fell Race was not cancelled.", "no"),
        ("Are dogs allowed on the Fell?", "Dogs are forbidden on the Fell.", "no"),
        (
            "Did the crew of the Fell die?",
            "Of the crew of the Fell, some died, two survived.",
            "yes",
        ),
        ("Are dogs welcome on the Fell?", "Dogs are prohibited on the Fell.", "no"),
        ("Can I bring my dog to the Fell?", "Dogs are allowed on the Fell.", "yes"),
        ("Can I bring my dog to the Fell?", "No dogs are allowed on the Fell.", "no"),
        ("Can I bring my dog to the Fell?", "There are dogs on the Fell.", ""),
        ("May visitors smoke on the Fell?", "Smoking is forbidden on the Fell.", "no"),
        ("Is breakfast included on the Fell?", "The price of the Fell excludes breakfast.", "no"),
        ("Is parking on the Fell free?", "Parking on the Fell costs £2.", "no"),
        ("Do I need to book the Fell tour?", "Booking is required for the Fell tour.", "yes"),
        ("Is the Fell inhabited?", "The Fell is uninhabited.", "no"),
        ("Is the Fell uninhabited?", "The Fell is inhabited.", "no"),
        ("Is the Fell accessible by bus?", "The Fell is inaccessible by bus.", "no"),
        ("Is the tower open?", "The tower is closed to visitors.", "no"),
        ("Is the tower open?", "The door of the tower is closed.", ""),
        ("Is the tower open?", "The tower was closed for repairs in 2003.", ""),
        ("Can I put Fell pie in the freezer?", "Fell pie can be frozen.", "yes"),
        ("Can I pay cash on the Fell?", "The Fell takes cash.", ""),
        ("Are dogs allowed on the Fell?", "Dogs on the Fell: not permitted", "no"),
        ("Is the Fell bowl dishwasher safe?", "The Fell bowl is dishwasher and food-safe.", "yes"),
        ("Is the Fell bowl dishwasher-safe?", "The Fell bowl is dishwasher safe.", "yes"),
        ("Can the Fell bowl go in the freezer?", "The Fell bowl is not freezer-safe.", "no"),
        ("Can I put the Fell bowl in the microwave?", "Fell bowl, suitable for microwaves.", "yes"),
        ("Is smoking allowed on the Fell?", "The Fell is non-smoking.", ""),
        ("Is there gluten in Fell bread?", "Fell bread is gluten-free.", ""),
    ],
)
def test_a_state_is_recognised_in_other_words(question: str, text: str, answer: str) -> None:
    found = closed_answers(asked_for(question), [Source(text, "", 0.5)])

    assert (found[0].text if found else "") == answer


@pytest.mark.parametrize(
    ("question", "plain"),
    [
        ("Can I get into the mill?", "Can I enter the mill?"),
        ("Did Ann come in?", "Did Ann enter?"),
        ("Did Ann come in May?", "Did Ann come in May?"),
        ("Did he lose his life?", "Did he die?"),
        ("Did he lose his hat?", "Did he lose his hat?"),
    ],
)
def test_phrases_become_one_word(question: str, plain: str) -> None:
    assert in_plain_words(question) == plain
