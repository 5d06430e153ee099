import pytest

from factmill.models.readers.heuristic.page_fragments import (
    has_heading,
    is_notice,
    judges_unnamed,
    lists_sources,
)
from factmill.models.readers.heuristic.reader import HeuristicReader
from factmill.models.readers.heuristic.self_contained import reference_fault
from factmill.models.readers.reading import PageContext
from factmill.schemas.errors import Rejected
from factmill.schemas.records import Segment


@pytest.mark.parametrize(
    "text",
    [
        "The store will not work correctly when cookies are disabled.",
        "Denying consent may make related features unavailable.",
        "Prices and terms are subject to change at any time.",
        "Availability of the service varies by country and language.",
        "Accuracy of results is not guaranteed.",
    ],
)
def test_notices_of_a_site_are_told(text: str) -> None:
    assert is_notice(text)
    assert reference_fault(text, "", True) == "notice"


def test_page_about_cookies_may_speak_of_them() -> None:
    text = "The browser stores cookies by domain."
    assert reference_fault(text, "", True) == "notice"
    assert reference_fault(text, "", True, "How a browser stores cookies") == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Adult Mental Health Services The Adult Health unit offers therapy.", True),
        ("MOD EVERYTHING From the ground up it was made.", True),
        ("NIS2 Readiness Advisory NIS2 has been released in Norway.", True),
        ("Members hear the podcast Save 10% on all workshops.", True),
        ("The Adult Health unit at Skell Hospital offers therapy.", False),
        ("Anna Maria Lund was a painter.", False),
    ],
)
def test_heading_that_runs_into_a_sentence_is_told(text: str, expected: bool) -> None:
    assert has_heading(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The answer is yes.", True),
        ("A better example is the mill.", True),
        ("Zig is now the perfect substitute.", True),
        ("Notion is that single place.", True),
        ("An order from table B would be a much slower process.", True),
        ("At the end of it, the team had to leave.", True),
        ("More detail on how to load a lamp is at Loading Lamps.", True),
        ("As Tom Hale reports, she is not the first driver.", True),
        ("Each one is handmade in Norway.", True),
        ("The best example of it is Skell Mill.", False),
        ("Skell Mill is the perfect place for otters.", False),
        ("Researchers found that, on average, otters live ten years.", False),
    ],
)
def test_judgement_of_what_is_not_named_is_told(text: str, expected: bool) -> None:
    assert judges_unnamed(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("If a leak is found in the mill, they will stop it.", "open_reference"),
        ("Managing them in Skell takes time.", "open_reference"),
        ("The keepers of Skell said that they would stay.", ""),
        ("The crew of the Harwich said that they would stay.", ""),
        ("Heating Skell Mill costs more than it earns.", ""),
    ],
)
def test_pronoun_needs_a_word_that_it_may_stand_for(text: str, expected: str) -> None:
    assert reference_fault(text, "", True) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("With his lamp, Tom Hale led the boats to Oslo.", ""),
        ("In her second year, Anna Lund sold the mill.", ""),
        ("With his brother, Tom Hale, he led the boats to Oslo.", "open_reference"),
        ("With the lamp, the keeper led the boats to Oslo.", "open_reference"),
    ],
)
def test_name_may_follow_its_pronoun(text: str, expected: str) -> None:
    assert reference_fault(text, "", True) == expected


@pytest.mark.parametrize(
    ("heading", "english", "expected"),
    [
        ("References:", True, True),
        ("Notes", True, False),
        ("Notes", False, True),
        ("Einzelnachweise", False, True),
        ("Geschichte", False, False),
    ],
)
def test_sections_of_sources_are_told(heading: str, english: bool, expected: bool) -> None:
    assert lists_sources(heading, english) is expected


def test_sources_in_another_language_state_nothing() -> None:
    text = "Закон вступил в силу со дня официального опубликования."
    read = HeuristicReader().read

    assert read(Segment("s", "p", 0, "text", text, "Law", None, None), PageContext("T")).statements
    with pytest.raises(Rejected, match="no_units"):
        read(Segment("s", "p", 0, "text", text, "Notes", None, None), PageContext("T"))
