from __future__ import annotations

import random
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime, timezone
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from factmill.schemas.layout import BuildDir
from factmill.transforms.clean.compare_pages import PageVerdict, compare_pages, verdicts
from factmill.transforms.clean.extract_page import ExtractedPage, extract_page
from factmill.transforms.clean.spool import Spool
from factmill.transforms.inputs.raw_page import RawPage

URL = "https://a.example/page"
WORDS = (
    "harbour wind stone bridge ferry light winter boat island keeper tower lamp water north "
    "south village market road hill wood field school church river sea sand rope sail anchor"
).split()


def _text(seed: int, sentences: int = 12) -> str:
    chosen = random.Random(seed)
    return " ".join(" ".join(["Then", *chosen.choices(WORDS, k=9)]) + "." for _ in range(sentences))


def _capture(source: str, text: str, day: int | None = None, url: str = URL) -> ExtractedPage:
    fetched_at = datetime(2023, 6, day, tzinfo=timezone.utc) if day else None
    found = extract_page(RawPage(source, url, text=text, fetched_at=fetched_at))
    assert isinstance(found, ExtractedPage)
    return found


def _compare(
    root: Path, captures: list[ExtractedPage], threshold: float | None = 0.8, shards: int = 1
) -> dict[str, PageVerdict]:
    """Each capture in a split of its own; the outcome by source id."""
    build = BuildDir(root)
    for split, capture in enumerate(captures):
        with ExitStack() as stack:
            spool = Spool(build, split, shards, stack)
            spool.add_page(capture, capture.page.url)
            spool.flush()
    compare_pages(build, shards, threshold)
    found = {key: out for shard in range(shards) for key, out in verdicts(build, shard).items()}
    assert all(row == 0 for _, row in found)
    return {captures[split].page.source_id: outcome for (split, _), outcome in found.items()}


def _reasons(found: dict[str, PageVerdict]) -> dict[str, tuple[str | None, str | None]]:
    return {source: (outcome.reason, outcome.detail) for source, outcome in found.items()}


CAPTURES = [
    ("undated", "Text without a date.", None),
    ("old", "The old text.", 1),
    ("middle", "The text of the middle.", 2),
    ("new", "The new text.", 3),
]


def _captured(number: int, page: str = "") -> ExtractedPage:
    source, text, day = CAPTURES[number]
    return _capture(f"{source}{page}", f"{text}{page}", day, f"{URL}{page}")


def test_compare_pages_newest_capture_stays_whatever_the_order(tmp_path: Path) -> None:
    """A page for each order; its captures stand in the splits in that order."""
    build, orders = BuildDir(tmp_path / "b"), list(permutations(range(4)))
    for split in range(4):
        with ExitStack() as stack:
            spool = Spool(build, split, 1, stack)
            for page, order in enumerate(orders):
                capture = _captured(order[split], f" {page}")
                spool.add_page(capture, capture.page.url)
            spool.flush()
    compare_pages(build, 1, None)
    found = {key: (out.reason, out.detail) for key, out in verdicts(build, 0).items()}
    assert found == {
        (order.index(number), page): ("superseded", f"kept new {page}")
        for page, order in enumerate(orders)
        for number in range(3)
    }


def test_compare_pages_undated_capture_is_older_than_any_dated_one(tmp_path: Path) -> None:
    for number, order in enumerate(permutations(range(2))):
        captures = [_captured(each) for each in order]
        assert list(_compare(tmp_path / f"{number}", captures)) == ["undated"]


def test_compare_pages_equally_old_captures_keep_the_first_of_the_splits(tmp_path: Path) -> None:
    pages = [_capture(name, f"Text {name}.", 5) for name in ("one", "two", "three")]
    assert sorted(_compare(tmp_path / "b", pages)) == ["three", "two"]


def test_compare_pages_same_capture_is_a_duplicate_another_superseded(tmp_path: Path) -> None:
    pages = [_capture("a", "Same.", 1), _capture("b", "Other.", 2), _capture("c", "Same.", 3)]
    assert _reasons(_compare(tmp_path / "b", pages)) == {
        "a": ("duplicate", "kept c"),
        "b": ("superseded", "kept c"),
    }


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_compare_pages_same_content_elsewhere_is_a_duplicate_of_the_shortest_url(
    tmp_path: Path, order: tuple[int, ...]
) -> None:
    urls = ["https://a.example/p?from=x", "https://a.example/p", "https://b.example/copy/p"]
    pages = [_capture(f"{n}", "The ferry leaves at nine.", url=url) for n, url in enumerate(urls)]
    detail = "same content as https://a.example/p"
    assert _reasons(_compare(tmp_path / "b", [pages[n] for n in order])) == {
        "0": ("duplicate", detail),
        "2": ("duplicate", detail),
    }


def test_compare_pages_superseded_capture_makes_no_page_a_duplicate(tmp_path: Path) -> None:
    pages = [
        _capture("old", "The ferry leaves at nine.", 1),
        _capture("new", "The ferry leaves at ten.", 2),
        _capture("other", "The ferry leaves at nine.", 1, "https://a.example/another-page"),
    ]
    assert _reasons(_compare(tmp_path / "b", pages)) == {"old": ("superseded", "kept new")}


@pytest.mark.parametrize("folder", ["it's", "[ab]", "what?", "shard=7", "row=9", "a;b"])
def test_compare_pages_in_a_folder_of_any_name(tmp_path: Path, folder: str) -> None:
    pages = [
        _capture(url, "Text.", url=url) for url in ("https://a.example/", "https://b.example/x")
    ]
    assert list(_compare(tmp_path / folder / "b", pages)) == ["https://b.example/x"]


def test_compare_pages_without_url_are_named_by_source(tmp_path: Path) -> None:
    pages = [_capture("x/a.html", "Text.", url=""), _capture("y/a.html", "Text.", url="")]
    assert _reasons(_compare(tmp_path / "b", pages)) == {
        "y/a.html": ("duplicate", "same content as x/a.html")
    }


def test_compare_pages_page_within_a_longer_one_is_a_near_duplicate(tmp_path: Path) -> None:
    text = _text(1, 30)
    longer = _capture("long", f"{text} Printed in Oslo.", url="https://a.example/print/the-page")
    shorter = _capture("short", text, url="https://a.example/p")
    found = _compare(tmp_path / "b", [shorter, longer, _capture("other", _text(2, 30), url="u")])
    [(source, outcome)] = found.items()
    assert (source, outcome.reason) == ("short", "near_duplicate")
    assert str(outcome.detail).endswith("like https://a.example/print/the-page")
    assert _compare(tmp_path / "c", [shorter, longer], threshold=None) == {}


def test_compare_pages_left_out_pages_name_the_page_that_stays_in_the_end(tmp_path: Path) -> None:
    text = _text(1, 30)
    longer = _capture("long", f"{text} Printed in Oslo.", url="https://a.example/print/the-page")
    pages = [
        longer,
        _capture("short", text, url="https://a.example/p"),
        _capture("copy", text, 2, url="https://a.example/copy"),
        _capture("older copy", "Something else.", 1, url="https://a.example/copy"),
    ]
    found = _compare(tmp_path / "b", pages)
    assert {source: outcome.reason for source, outcome in found.items()} == {
        "short": "near_duplicate", "copy": "duplicate", "older copy": "superseded",
    }  # fmt: skip
    assert {outcome.kept_page_id for outcome in found.values()} == {longer.page.page_id}


def test_compare_pages_that_differ_in_a_fact_are_both_kept(tmp_path: Path) -> None:
    text = _text(3, 30)
    pages = [
        _capture(year, f"{text} It was built in {year}.", url=f"https://a.example/{year}")
        for year in ("1742", "1861")
    ]
    assert _compare(tmp_path / "b", pages) == {}


def test_compare_pages_no_page_is_dropped_for_one_that_is_dropped(tmp_path: Path) -> None:
    """A chain of versions, each a little different from the one before."""
    words = _text(4, 40).split()
    pages = []
    for version in range(12):
        words[version * 30 : version * 30 + 6] = WORDS[:6]
        url = f"https://a.example/{version:02d}"
        pages.append(_capture(url, " ".join(words), url=url))
    found = _compare(tmp_path / "b", pages)
    assert found
    dropped = set(found)
    assert all(str(outcome.detail).split()[-1] not in dropped for outcome in found.values())
    assert len(dropped) < len(pages) - 1


def test_compare_pages_nothing_in_common_keeps_everything(tmp_path: Path) -> None:
    pages = [_capture(f"{n}", _text(100 + n), url=f"https://{n}.example/") for n in range(30)]
    assert _compare(tmp_path / "b", pages) == {}


COOKIES = "We use cookies to make this site better for you."


def _site(pages: int, with_notice: int, host: str = "a.example") -> list[ExtractedPage]:
    return [
        _capture(
            f"{host}-{number}",
            f"{_text(number)}\n{COOKIES}" if number < with_notice else _text(number),
            url=f"https://{host}/{number}",
        )
        for number in range(pages)
    ]


@pytest.mark.parametrize(
    ("pages", "with_notice", "left_out"),
    [(5, 5, True), (4, 4, False), (60, 6, True), (60, 5, False), (9, 5, True)],
)
def test_compare_pages_sentence_on_many_pages_of_a_site_is_left_out(
    tmp_path: Path, pages: int, with_notice: int, left_out: bool
) -> None:
    made = _site(pages, with_notice)
    found = _compare(tmp_path / "b", made)
    assert len(found) == (with_notice if left_out else 0)
    for capture in made:
        outcome = found.get(capture.page.source_id)
        if outcome is not None:
            [position] = outcome.sentences
            start, end = capture.sentences[position]
            assert capture.page.text[start:end] == COOKIES


def test_compare_pages_other_sites_and_pages_without_url_do_not_count(tmp_path: Path) -> None:
    made = [page for host in "abcdef" for page in _site(1, 1, f"{host}.example")]
    made = [
        replace(
            page,
            page=replace(page.page, page_id=f"{n}", content_hash=f"{n}"),
            signature=b"",
            bands=(),
        )
        for n, page in enumerate(made)
    ]
    assert _compare(tmp_path / "b", made) == {}
    without_url = [_capture(f"{n}", f"{_text(n)}\n{COOKIES}", url="") for n in range(8)]
    assert _compare(tmp_path / "c", without_url) == {}


def test_compare_pages_twice_on_one_page_counts_once(tmp_path: Path) -> None:
    made = [
        _capture(f"{n}", f"{_text(n)}\n{COOKIES}\n{COOKIES}", url=f"https://a.example/{n}")
        for n in range(4)
    ]
    assert _compare(tmp_path / "b", made) == {}


def test_compare_pages_short_lines_are_never_left_out(tmp_path: Path) -> None:
    made = [
        _capture(f"{n}", f"Early life\n{_text(n)}", url=f"https://a.example/{n}") for n in range(9)
    ]
    assert _compare(tmp_path / "b", made) == {}


_PAGES = st.lists(
    st.tuples(st.sampled_from("uvwxyz"), st.sampled_from("ABC"), st.sampled_from([None, 1, 2, 3])),
    min_size=1,
    max_size=14,
)


@given(_PAGES, st.integers(1, 3))
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_compare_pages_any_captures_keep_the_newest_of_each_content(
    tmp_path_factory: pytest.TempPathFactory,
    pages: list[tuple[str, str, int | None]],
    shards: int,
) -> None:
    made = [_capture(f"{n}", f"Text {t}.", day, url) for n, (url, t, day) in enumerate(pages)]
    dropped = _compare(tmp_path_factory.mktemp("any") / "b", made, shards=shards)
    kept = [n for n in range(len(pages)) if f"{n}" not in dropped]

    newest: dict[str, int] = {}
    for n, (url, _, day) in enumerate(pages):
        if url not in newest or (day or 0) > (pages[newest[url]][2] or 0):
            newest[url] = n
    first: dict[str, int] = {}
    for _, n in sorted(newest.items()):
        first.setdefault(pages[n][1], n)
    assert sorted(kept) == sorted(first.values())
    kept_ids = {made[n].page.page_id for n in kept}
    assert {outcome.kept_page_id for outcome in dropped.values()} <= kept_ids
