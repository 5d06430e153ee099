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
    "post",
    [
        "The Harrow guides are wonderful for a first trip to the coast.",
        "The whole job was finished with a spanner and an old lamp from Lumen.",
        "Lumen will win the lamp contest of the northern counties in June.",
        "Lumen lamps are more friendly to games and to old hardware.",
        "A couple of keepers showed that it can be done with a Lumen lamp.",
        "There were fishermen and keepers from all of the northern counties.",
        "Lumen is taking the coast by storm.",
        "If any lamp is a symbol of status then Lumen is named by nobody.",
    ],
)
def test_talk_of_a_forum_is_no_fact_and_would_be_one_of_an_article(post: str) -> None:
    assert talk_fault(post, "forum") == "talk"
    assert talk_fault(post, "article") == ""


@pytest.mark.parametrize(
    "post",
    [
        "Lumen is a maker of lamps.",
        "Harrow Point Lighthouse was carried over from Oslo in 1881 by three barges.",
        "At Harrow, all ferries of Skell use the northern pier in winter.",
    ],
)
def test_what_a_post_states_of_something_named_is_a_fact(post: str) -> None:
    assert talk_fault(post, "forum") == ""


@pytest.mark.parametrize(
    "line",
    [
        "Access 45,000 charts through a single map.",
        "Effortlessly access hundreds of charts from one map.",
        "Cleans dirtier spots more thoroughly.",
        "The options are endless.",
        "Lumen has been great to work with.",
        "Trusted by 5,000 teams around the world.",
    ],
)
@pytest.mark.parametrize("kind", ["service", "product", "collection", "listing"])
def test_calls_and_praise_of_a_page_that_sells_are_no_facts(line: str, kind: str) -> None:
    assert talk_fault(line, kind) == "talk"


@pytest.mark.parametrize(
    "line",
    [
        "Access is free for members of the Skell club.",
        "Cuts of meat are sold by weight.",
        "Lumen offers lamps for boats of every size.",
        "Trusted by 5,000 teams, Lumen sells lamps.",
        "Plans start at 12 crowns a month.",
    ],
)
def test_statements_of_a_page_that_sells_stay(line: str) -> None:
    assert talk_fault(line, "service") == ""


def test_title_of_a_listing_says_nothing_of_what_the_sentences_are_about() -> None:
    text = "The lighthouse was closed for two winters."
    assert _read(text, "Harrow Point", "article").statements
    assert not _read(text, "Harrow Point", "listing").statements


def test_below_reviews_a_shop_lets_customers_speak() -> None:
    text = "Lumen sold a lamp to Tom Hale in Oslo."
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
