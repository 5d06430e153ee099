from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from factmill.schemas.layout import BuildDir
from factmill.schemas.records import Page, Proposition, Reject, Segment
from factmill.schemas.tables import TABLES
from factmill.transforms.report import build_figures as module
from factmill.transforms.report.build_figures import BuildFigures, build_figures
from factmill.transforms.report.build_views import BuildViews
from factmill.transforms.tasks.scratch_database import bounded_database
from factmill.transforms.tasks.shard_files import shard_writers

PLAIN = "The ferry leaves at nine, and it costs 5 € or more. " * 8


def _page(name: str, text: str = PLAIN) -> Page:
    return Page(name, name, "", f"Page {name}", text, "en", None, "h")


def _segments(page: Page, number: int) -> list[Segment]:
    """Of equal size, with a character between two."""
    size = len(page.text) // number
    name = page.page_id
    return [
        Segment(f"{name}-{n}", name, n, "text", f"text {n}", "", n * size + (n > 0), (n + 1) * size)
        for n in range(number)
    ]


def _unread(page: Page, number: int) -> list[Reject]:
    return [
        Reject("extract", "no_units", f"{page.page_id}-{n}", "", "no", "", page.page_id)
        for n in range(number)
    ]


def _units(page: Page, number: int) -> list[Proposition]:
    return [
        Proposition(f"{page.page_id}-{n}", "s", page.page_id, n, "It is.", 0, 1, "r")
        for n in range(number)
    ]


def _write(
    build: BuildDir, pages: Sequence[tuple[Page, int, int, int]], rejects: Sequence[Reject] = ()
) -> None:
    """Pages with their numbers of segments, units and segments without units, in two shards."""
    for shard in range(2):
        with shard_writers(build, shard, TABLES) as writers:
            tables = dict(zip(TABLES, writers, strict=True))
            for page, segments, units, unread in pages[shard::2]:
                tables["10_pages"].add([page])
                tables["11_segments"].add(_segments(page, segments))
                tables["20_propositions"].add(_units(page, units))
                tables["29_rejects"].add(_unread(page, unread))
            if shard == 0:
                tables["19_rejects"].add(rejects)


def _figures(build: BuildDir, folder: Path) -> BuildFigures:
    with bounded_database(folder, 0.5) as database:
        return build_figures(BuildViews(database, folder, "now", build), 2)


USUAL = [(_page(f"{n:03d}"), 4, 8, 0) for n in range(60)]


def test_build_figures_count_languages_kinds_and_units_of_pages(tmp_path: Path) -> None:
    build = BuildDir(tmp_path / "b")
    forum = replace(_page("b"), kind="forum", kind_confidence=0.75, text_confidence=0.8)
    unsure = replace(_page("c"), text_confidence=0.25)
    pages = [(replace(_page("a"), lang=""), 1, 0, 1), (forum, 1, 1, 0), (unsure, 2, 7, 0)]
    _write(build, pages)
    found = _figures(build, tmp_path)
    assert found.languages == {"en": 2, "": 1}
    assert found.kinds == {"": 2, "forum": 1}
    assert found.units_per_page == ((0, 1), (1, 1), (4, 1))
    assert found.confidences == {"": 1, "0.8 and more": 1, "below 0.5": 1}
    assert found.pages_sampled == 3
    assert [(page.page_id, page.why) for page in found.strangest] == [
        ("c", "its main text is unsure: a confidence of 0.25")
    ]


def test_build_figures_of_nothing_are_empty(tmp_path: Path) -> None:
    build = BuildDir(tmp_path / "b")
    _write(build, [])
    assert _figures(build, tmp_path) == BuildFigures({}, {}, {}, (), (), (), (), 0)


def test_build_figures_longest_pages_come_first(tmp_path: Path) -> None:
    build = BuildDir(tmp_path / "b")
    _write(build, [*USUAL, (_page("long", PLAIN * 9), 9, 90, 0)])
    longest = _figures(build, tmp_path).longest
    assert [page.page_id for page in longest] == ["long", *(f"{n:03d}" for n in range(9))]
    first = longest[0]
    assert (first.title, first.source, first.segments, first.units) == ("Page long", "long", 9, 90)
    assert first.characters == len(PLAIN * 9)


@pytest.mark.parametrize(
    ("page", "numbers", "why"),
    [
        (_page("unread"), (12, 8, 11), "11 of 12 segments gave no unit; 0.5 are usual"),
        (_page("barren", PLAIN * 9), (4, 3, 0), "3 units in 3,744 characters; 63.0 are usual"),
        (_page("0dd", PLAIN + "☠♞✂☎�" * 9), (4, 8, 0), "10% of its characters are symbols or"),
    ],
)
def test_build_figures_strangest_page_is_found_by_its_measure(
    tmp_path: Path, page: Page, numbers: tuple[int, int, int], why: str
) -> None:
    build = BuildDir(tmp_path / "b")
    _write(build, [*USUAL, (page, *numbers)])
    (strange,) = _figures(build, tmp_path).strangest
    assert strange.page_id == page.page_id
    assert strange.why.startswith(why)


def test_build_figures_look_for_odd_characters_in_a_sample(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = BuildDir(tmp_path / "b")
    odd = PLAIN + "☠♞✂☎" * 20
    # As ids are: hexadecimal digits, here from 005 to ff5.
    _write(build, [(_page(f"{n:02x}5", odd), 4, 8, 0) for n in range(256)])
    monkeypatch.setattr(module, "SAMPLED_PAGES", 2)
    found = _figures(build, tmp_path)
    assert [page.page_id for page in found.strangest] == ["005", "015"]
    assert found.pages_sampled == 2


def test_build_figures_show_the_first_rejects_of_every_reason(tmp_path: Path) -> None:
    build = BuildDir(tmp_path / "b")
    rejects = [Reject("clean", "no_text", f"r{n}", "", f"detail {n}") for n in range(5)]
    page = _page("a")
    _write(build, [(page, 4, 1, 1)], [*rejects, Reject("clean", "bad_json", "x", "", "")])
    found = _figures(build, tmp_path).rejected
    assert [(one.stage, one.reason, one.count) for one in found] == [
        ("clean", "no_text", 5),
        ("clean", "bad_json", 1),
        ("extract", "no_units", 1),
    ]
    assert [example.record_id for example in found[0].examples] == ["r0", "r1", "r2"]
    (unread,) = found[2].examples
    assert (unread.record_id, unread.text) == ("a-0", "text 0")
