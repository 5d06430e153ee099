from __future__ import annotations

from dataclasses import replace

import pytest

from factmill.schemas.manifest import Manifest, TableEntry
from factmill.transforms.report.build_changes import TableChange
from factmill.transforms.report.input_changes import InputChange
from factmill.transforms.report.verdict import PublishVerdict, headline, next_steps

TABLES = {
    "10_pages": TableChange(1500, 1512, 20, 0, 8),
    "20_propositions": TableChange(9, 7, 0, 0, 2),
    "21_qa_pairs": TableChange(3, 3),
}
MANIFEST = Manifest(
    "new", "old", "2026-01-01T00:00:00", "c0de", {}, {},
    {name: TableEntry(change.after, ()) for name, change in TABLES.items()}, {}, {}, {},
)  # fmt: skip
PUBLISHED = PublishVerdict("/data/my store", "old")


@pytest.mark.parametrize(
    ("verdict", "tables", "broken", "says"),
    [
        (PublishVerdict("S"), None, 0,
         "Published. This is the first build of the store: 1,512 pages and"
         " 10 units."),
        (PUBLISHED, TABLES, 0, "Published. 1,512 pages (12 more than before) and 10 units"
         " (2 fewer than before)."),
        (PUBLISHED, None, 0, "Published. 1,512 pages and 10 units."),
        (PUBLISHED, TABLES, 1, "Published. 1,512 pages (12 more than before) and 10 units"
         " (2 fewer than before). But 1 input broke or shrank: see below."),
        (replace(PUBLISHED, lost="a is gone", found_less="recall fell"), TABLES, 1,
         "Not published: a is gone; recall fell. old is still served."),
        (PublishVerdict("S", None, "", "recall fell"), None, 0,
         "Not published: recall fell. Nothing is served."),
    ],
)  # fmt: skip
def test_headline_is_one_sentence_of_what_became_of_the_build(
    verdict: PublishVerdict, tables: dict[str, TableChange] | None, broken: int, says: str
) -> None:
    inputs = [InputChange("a", "broken", 9, 1)] * broken
    assert headline(verdict, MANIFEST, tables, inputs) == says


def test_next_steps_are_none_for_a_published_build() -> None:
    assert next_steps(PUBLISHED, MANIFEST, compared=True) == []


def test_next_steps_of_a_kept_build_end_with_publishing_it() -> None:
    kept = replace(PUBLISHED, lost="a is gone")
    steps = next_steps(kept, MANIFEST, compared=True)
    assert "under Inputs" in steps[0].text
    assert [step.command for step in steps[1:]] == [
        "factmill diff '/data/my store' --from old --to new",
        "factmill rollback '/data/my store' --to new",
    ]
    quality = next_steps(replace(PUBLISHED, found_less="recall fell"), MANIFEST, compared=False)
    assert "under Quality check" in quality[0].text
    assert [step.command for step in quality[1:]] == ["factmill rollback '/data/my store' --to new"]
