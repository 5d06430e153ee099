"""What the kind of a page makes of its sentences."""

import pytest

from factmill.models.readers.heuristic.page_kinds import talk_fault
from factmill.models.readers.heuristic.reader import HeuristicReader
from factmill.models.readers.reading import PageContext, Reading
from factmill.schemas.errors import Rejected
from factmill.schemas.records import Segment


def _read(text: str, title: str, kind: str, heading: str = "") -> Reading:
    segment = Segment("s", "p", 0, "text", text, heading, None, None)
    try:
        return HeuristicReader().read(segment, PageContext(title, kind))
    except Rejected:
        return Reading()


@pytest.mark.parametrize(
    "line",
    [
        "Access 45,000 charts through a single map.",
        "Effortlessly access hundreds of charts from one map.",
        "Cleans dirtier spots more thoroughly.",
    ],
)
@pytest.mark.parametrize("kind", ["service", "product", "collection", "listing"])
def test_calls_of_a_page_that_sells_are_no_facts(line: str, kind: str) -> None:
    assert talk_fault(line, kind) == "talk"


@pytest.mark.parametrize(
    "line",
    [
        "Access is free for members of the Skell club.",
        "Cuts of meat are sold by weight.",
        "Lumen offers lamps for boats of every size.",
        "Plans start at 12 crowns a month.",
    ],
)
def test_statements_of_a_page_that_sells_stay(line: str) -> None:
    assert talk_fault(line, "service") == ""


def test_title_of_a_listing_says_nothing_of_what_the_sentences_are_about() -> None:
    text = "The lighthouse was closed for two winters."
    reasons = {
        kind: {fault.reason for fault in _read(text, "Harrow Point", kind).faults}
        for kind in ("article", "listing")
    }
    assert reasons["listing"] == {"open_reference"}
    assert "open_reference" not in reasons["article"]


def test_below_reviews_a_shop_lets_customers_speak() -> None:
    text = "Lumen was founded in Oslo in 1998 and makes lamps for theatres."
    heading = "What our customers say"
    assert _read(text, "Lumen", "service").statements
    (fault,) = _read(text, "Lumen", "service", heading).faults
    assert fault.reason == "talk"
    assert _read(text, "Lumen", "article", heading).statements


def test_key_lines_of_a_listing_describe_no_title() -> None:
    text = "Price: 30 crowns"
    heading = "Details"
    assert _read(text, "Storm Lantern", "product", heading).statements
    assert not _read(text, "Storm Lantern", "listing", heading).statements
