"""Sentences and lines that look like what a rule is for, and are not."""

from __future__ import annotations

import time

import pytest

from factmill.models.readers.heuristic.reader import HeuristicReader
from factmill.models.readers.heuristic.table_rows import read_table
from factmill.models.readers.reading import PageContext, Reading
from factmill.schemas.errors import Rejected
from factmill.schemas.records import Segment, SegmentKind


def read(text: str, kind: SegmentKind = "text") -> Reading:
    try:
        return HeuristicReader().read(
            Segment("s", "p", 0, kind, text, "", None, None), PageContext("Norland")
        )
    except Rejected:
        return Reading()


def stated(text: str) -> list[str]:
    return [one.text for one in read(text).statements]


def asked(text: str) -> dict[str, str]:
    return {one.text: text[one.start : one.end] for one in read(text).questions}


@pytest.mark.parametrize(
    "text",
    ["Tom Hale is an islander born and raised.", "The X200 is a lamp designed and built."],
)
def test_two_participles_may_end_a_sentence(text: str) -> None:
    assert stated(text) == [text]


def test_line_of_data_without_a_key_is_left_out() -> None:
    found = read("Product: Lamp X200\nBrand: Lumen\n: Colour: red", "data")

    assert [one.text for one in found.statements] == ["Lamp X200 – Brand: Lumen"]


def test_line_of_hyphens_is_read_in_no_time() -> None:
    begun = time.process_time()
    read(f"Contents{'-' * 10_000}(1): page. Tom Hale was born in Oslo.")

    assert time.process_time() - begun < 2


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("Tom Hale, son of Erik Hale (1850–1920), was a painter.", "Tom Hale was born in 1850."),
        (
            "Lumen, founded by Anna Lund (born 1950), is a Norwegian company.",
            "Lumen was born in 1950.",
        ),
        (
            "The wife of Tom Hale (1920–1999) was a singer.",
            "The wife of Tom Hale was born in 1920.",
        ),
        ("Tom Hale wrote The Old Man and the Sea.", "Tom Hale wrote the Sea."),
        ("Tom Hale wrote The Lion, the Witch and the Wardrobe.", "Tom Hale wrote the Witch."),
        (
            "Tom Hale attended North Carolina Agricultural and Technical State University.",
            "Tom Hale attended Technical State University.",
        ),
        ("Tom Hale founded a school in Bergen, which closed in 1950.", "Bergen closed in 1950."),
        (
            "Lumen opened a factory in Oslo, which employs 500 people.",
            "Oslo employs 500 people.",
        ),
        (
            "The Skell Theatre caught fire in 1903, killing 602 people.",
            "The Skell Theatre killed 602 people.",
        ),
        (
            "Tom Hale retired from international football in May 2010.",
            "Tom Hale retired in May 2010.",
        ),
    ],
)
def test_sentence_is_not_taken_apart_wrongly(text: str, wrong: str) -> None:
    found = stated(text)

    assert found
    assert wrong not in found


@pytest.mark.parametrize(
    ("text", "question", "answer"),
    [
        (
            "Skell Mill has an area of 5.2 square kilometres.",
            "What is the area of Skell Mill?",
            "5.2 square kilometres",
        ),
        (
            "Skell Ferry has a speed of 90 kilometres per hour.",
            "What is the speed of Skell Ferry?",
            "90 kilometres per hour",
        ),
        ("Skell Hall has a capacity of 2,000 to 3,000 people.", "", ""),
        ("Skell Temple was built in 1400 BC by Tom Hale.", "When was Skell Temple built?", ""),
        ("Tom Hale was killed in World War I.", "Where was Tom Hale killed?", ""),
        ("Skell Bridge was completed by August.", "Who completed Skell Bridge?", ""),
        ("The director of Skell Song is American.", "", ""),
        ("The founder of Lumen was Tom Hale's brother.", "", ""),
    ],
)
def test_what_is_asked_has_a_whole_answer_of_its_kind(
    text: str, question: str, answer: str
) -> None:
    found = asked(text)

    if answer:
        assert found[question] == answer
    elif question:
        assert question not in found
    else:
        assert not found


def test_row_of_equal_cells_among_others_is_no_title() -> None:
    table = (
        "Capitals of Europe\n| Country | Capital |\n| --- | --- |\n| Lithuania | Vilnius |\n"
        "| Luxembourg | Luxembourg |\n| Malta | Valletta |"
    )

    assert [one.text for one in read_table(table, "Capitals of Europe").statements] == [
        "Lithuania (Capitals of Europe) – Capital: Vilnius",
        "Malta (Capitals of Europe) – Capital: Valletta",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Компания «Газпром» была основана в 1989 году в Москве.",
        "Le roman «Les Misérables» est publié en 1862 par la maison de Bruxelles.",
    ],
)
def test_quotation_marks_of_other_languages_are_no_markup(text: str) -> None:
    assert stated(text) == [text]
