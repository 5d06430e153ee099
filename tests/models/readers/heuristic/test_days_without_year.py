from __future__ import annotations

import pytest

from factmill.models.readers.heuristic.days_without_year import has_day_without_year
from factmill.models.readers.heuristic.reader import HeuristicReader
from factmill.models.readers.reading import PageContext
from factmill.schemas.records import Segment


@pytest.mark.parametrize(
    ("statement", "around"),
    [
        ("Anna Lund won the race on 18 January.", "Lund Open"),
        ("Anna Lund said on Nov. 8 that the mill was sold.", "News"),
        ("Lumen opened four mills in October.", "Lumen"),
    ],
)
def test_day_of_the_past_without_its_year_is_told(statement: str, around: str) -> None:
    assert has_day_without_year(statement, around)


@pytest.mark.parametrize(
    ("statement", "around"),
    [
        ("Anna Lund won the race on 18 January 1990.", "Lund Open"),
        ("Anna Lund won the race on 18 January.", "Lund Open 1990"),
        ("In October 821 Anna Lund married.", "Anna Lund"),
        ("The fair takes place on 18 January.", "Lund Fair"),
        ("The fair is always held on 18 January.", "Lund Fair"),
        ("The mill is closed in January.", "Lund Mill"),
        ("Anna Lund died on 15 March 44 BC.", "Anna Lund"),
        ("Lilacs fade in June.", "Lilacs"),
        ("Anna Lund may have won.", "Lund Open"),
    ],
)
def test_other_statements_stay(statement: str, around: str) -> None:
    assert not has_day_without_year(statement, around)


@pytest.mark.parametrize("confidence", [1.0, 0.1])
@pytest.mark.parametrize(
    "statement",
    [
        "Anna Lund won the Lund Race of the island on 18 January.",
        "Anna Lund currently owns the mill of the island.",
    ],
)
def test_web_page_rejects_it_and_a_passage_does_not(statement: str, confidence: float) -> None:
    text = f"{statement} She was happy with it."
    segment = Segment("s", "p", 0, "text", text, "Races", 0, len(text))

    on_page = HeuristicReader().read(segment, PageContext.of("Anna Lund", "article", confidence))
    in_passage = HeuristicReader().read(segment, PageContext("Anna Lund"))

    assert not on_page.statements
    assert "relative_time" in {one.reason for one in on_page.faults}
    assert in_passage.statements[0].text == statement
