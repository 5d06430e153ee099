from __future__ import annotations

import pytest

from factmill.models.answering.answer_candidates import Candidate, Source
from factmill.models.answering.patterns.contact_values import announced_values, contact_values
from factmill.models.answering.words.asked_for import asked_for

INN = "Ask at the bar, or call (555) 014-2270. Fax: (555) 014-2271."
DESKS = "Write to the harbour desk at port@oss.example.\nThe pilots read pilots@oss.example."


def values(question: str, *texts: str, title: str = "Holm Inn") -> list[str]:
    sources = [Source(text, title, 0.5, page="1") for text in texts]
    return [one.text for one in contact_values(asked_for(question), sources)]


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("What is the phone number of the Holm Inn?", ["(555) 014-2270"]),
        ("holm inn telephone", ["(555) 014-2270"]),
        ("Which number do I call for the Holm Inn?", ["(555) 014-2270"]),
        ("What is the phone number of the Oss Inn?", []),
        ("What is the phone number?", []),
        ("How many rooms has the Holm Inn?", []),
    ],
)
def test_the_number_is_that_of_the_page_with_the_words_of_the_question(
    question: str, found: list[str]
) -> None:
    assert values(question, "The Holm Inn has nine rooms.", INN) == found


def test_of_two_addresses_the_one_beside_more_words_is_taken() -> None:
    assert values("What is the email address of the Oss pilots?", DESKS, title="Oss") == [
        "pilots@oss.example"
    ]
    assert values("What is the email address of Oss?", DESKS, title="Oss") == []


def test_numbers_of_two_pages_with_all_words_answer_nothing() -> None:
    pages = [Source(f"Call (555) 014-22{n}.", "Holm Inn", 0.5, page=f"{n}") for n in (70, 80)]

    assert not list(contact_values(asked_for("What is the phone number of Holm Inn?"), pages))


@pytest.mark.parametrize("text", ["built 2019-02-23", "at 192.168.10.25", "from 1990-1995", "7 45"])
def test_days_addresses_of_machines_and_ranges_are_no_numbers(text: str) -> None:
    assert values("What is the phone number of the Holm Inn?", f"Holm Inn, {text}.") == []


def test_a_value_takes_the_place_of_what_announces_it() -> None:
    text = "Report bugs to the address <bugs@oss.example>. The address is long."
    sources = [Source(text, "", 0.5)]
    said = [
        Candidate("address", 0.6, 0, start, start + 7)
        for start in (text.index("address"), text.rindex("address"))
    ]

    assert [one.text for one in announced_values(said, sources)] == ["bugs@oss.example", "address"]
