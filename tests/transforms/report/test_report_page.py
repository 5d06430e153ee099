from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from bs4 import BeautifulSoup, Tag
from hypothesis import given
from hypothesis import strategies as st

from factmill.schemas.manifest import FileEntry, Manifest, StageCounts, TableEntry
from factmill.transforms.report.build_changes import (
    BuildChanges,
    PageReason,
    RejectChange,
    TableChange,
)
from factmill.transforms.report.build_figures import BuildFigures, PageFigure
from factmill.transforms.report.comparison import Comparison, SiteFigure
from factmill.transforms.report.input_changes import InputChange
from factmill.transforms.report.reject_examples import RejectedFor, RejectExample
from factmill.transforms.report.report_page import RunReport, report_page
from factmill.transforms.report.report_sample import CodeBalance, ShownUnit
from factmill.transforms.report.stage_rows import imbalance
from factmill.transforms.report.verdict import PublishVerdict

STAGES = ("clean", "extract", "validate", "compose", "learn", "encode", "index")
BAD = "</script><script>alert('x')</script>\x00"
UNIT = ShownUnit(
    "proposition", "u" * 32, "It was lit in 1894.", "Gannet Rock was lit in 1894, they say.",
    12, 27, "History", "Gannet Rock", "https://lights.example/gannet", "lights.html",
)  # fmt: skip

PAGE = PageFigure(
    "p" * 32, "Gannet Rock", "https://lights.example/gannet", 1200, 10, 4, 6,
    "6 of 10 segments gave no unit; 0.5 are usual",
)  # fmt: skip
FIGURES = BuildFigures(
    {"en": 6, "de": 1},
    {"article": 5, "": 2},
    {"0.8 and more": 6, "below 0.5": 1},
    ((0, 1), (1, 2), (4, 4)),
    (PAGE,),
    (PAGE,),
    (
        RejectedFor("clean", "bad", 2, (RejectExample("x.jsonl:3", "", "no JSON"),)),
        RejectedFor(
            "extract", "no_units", 1,
            (RejectExample("s" * 32, "https://lights.example/", "states nothing", "Menu | Home"),),
        ),
    ),
    7,
)  # fmt: skip
CHANGES = BuildChanges(
    "20251231T000000000Z-76543210",
    "20260101T000000000Z-01234567",
    {
        "10_pages": TableChange(9, 7, 1, 2, 3),
        "20_propositions": TableChange(20, 21, 5, 0, 4),
        "21_qa_pairs": TableChange(10, 10, 0, 0, 0),
    },
    (),
    0,
    (PageReason("removed", "no_text", 3),),
    (RejectChange("clean", "bad", 5, 2), RejectChange("clean", "gone", 4, 0)),
)


def _report(**changes: Any) -> RunReport:
    counts = {stage: StageCounts(10, 7, {"bad": 2, "worse": 1}) for stage in STAGES}
    manifest = Manifest(
        "20260101T000000000Z-01234567", "20251231T000000000Z-76543210", "2026-01-01T00:00:00",
        "c0de", {"shards": 2, "reader": "heuristic", "languages": []}, {},
        {"10_pages": TableEntry(7, (FileEntry("10_pages/a.parquet", 7, 2_000_000, "0"),))},
        counts, {"calls": 0, "tokens_new": 0}, {"clean": 3.0, "extract": 1.0},
    )  # fmt: skip
    head = {"code_recall": 0.81, "retraining_due": True}
    report = RunReport(
        manifest, PublishVerdict("/data/store", "20251231T000000000Z-76543210"), FIGURES, None,
        [SiteFigure("lights.example", 0, 7, 0, 3)], [],
        {"10_pages": 500_000}, CodeBalance(9, (0.1, 0.5, 0.9)), head, None, [UNIT],
    )  # fmt: skip
    about = {name: changes.pop(name) for name in ("counts", "llm") if name in changes}
    return replace(report, manifest=replace(manifest, **about), **changes)


def _soup(report: RunReport) -> BeautifulSoup:
    return BeautifulSoup(report_page(report), "lxml")


def _rows(soup: BeautifulSoup, title: str) -> list[list[str]]:
    """The cells of the table below a heading."""
    heading = soup.find("h2", string=title)
    assert isinstance(heading, Tag), title
    table = heading.find_next("table")
    assert isinstance(table, Tag)
    assert table.tbody is not None
    return [
        [cell.get_text() for cell in row.find_all(["th", "td"])]
        for row in table.tbody.find_all("tr")
    ]


def test_report_names_each_stage_and_its_counts_add_up() -> None:
    rows = _rows(_soup(_report()), "Funnel")
    assert [row[0] for row in rows] == list(STAGES)
    for row in rows:
        assert row[2:] == ["adds up", "10", "7", "3"]


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        (StageCounts(10, 7, {"bad": 3}), ""),
        (StageCounts(), ""),
        (StageCounts(5000, 7, {"bad": 3}), "does not add up: 4,990 neither out nor rejected"),
        (StageCounts(10, 9, {"bad": 3}), "does not add up: 2 more than came in"),
    ],
)
def test_imbalance_says_how_many_are_lost(counts: StageCounts, said: str) -> None:
    assert imbalance(counts) == said
    rows = _rows(_soup(_report(counts={"clean": StageCounts(), "extract": counts})), "Funnel")
    assert [row[2] for row in rows] == ["adds up", said or "adds up"]


def test_report_has_rejects_by_reason_most_frequent_first() -> None:
    counts = {"clean": StageCounts(200, 190, {"a_few": 2, "many": 7, "one": 1})}
    rows = _rows(_soup(_report(counts=counts)), "Rejects by reason")
    assert rows == [
        ["clean", "many", "–", "7", "3.5%"],
        ["clean", "a_few", "–", "2", "1.0%"],
        ["clean", "one", "–", "1", "0.5%"],
    ]


def test_report_has_rejects_beside_those_before() -> None:
    counts = {"clean": StageCounts(200, 198, {"bad": 2})}
    report = _report(counts=counts, comparison=Comparison(CHANGES, {}, {}, {}))
    assert _rows(_soup(report), "Rejects by reason") == [
        ["clean", "bad", "5", "2", "1.0%"],
        ["clean", "gone", "4", "0", "0.0%"],
    ]


def test_report_compares_with_the_build_before() -> None:
    assert "Since the build before" not in report_page(_report())
    soup = _soup(_report(comparison=Comparison(CHANGES, {"en": 8, "fr": 1}, {"forum": 9}, {})))
    assert _rows(soup, "Since the build before") == [
        ["pages", "9", "7", "1", "2", "3"],
        ["propositions", "20", "21", "5", "0", "4"],
        ["qa pairs", "10", "10", "0", "0", "0"],
    ]
    assert _rows(soup, "Kinds of pages") == [
        ["article", "0", "5", "71.4%"],
        ["unknown", "0", "2", "28.6%"],
        ["others", "9", "0", "0.0%"],
    ]
    assert _rows(soup, "Languages") == [
        ["en", "8", "6", "85.7%"],
        ["de", "0", "1", "14.3%"],
        ["others", "1", "0", "0.0%"],
    ]
    assert _rows(soup, "Sites") == [["lights.example", "0", "7", "0", "3"]]


def test_report_shows_sizes_of_pages_and_what_is_strange() -> None:
    soup = _soup(_report())
    assert _rows(soup, "Units per page") == [["0", "", "1"], ["1", "", "2"], ["4 to 7", "", "4"]]
    bars = [str(span["style"]) for span in soup.select(".bar span")][:3]
    assert bars == ["width:25.0%", "width:50.0%", "width:100.0%"]
    name = f"{PAGE.title}{PAGE.source}"
    assert _rows(soup, "Strangest pages") == [[name, PAGE.why, "1,200", "10", "4"]]
    assert _rows(soup, "Longest pages") == [[name, "1,200", "10", "4"]]
    assert "No page is" in report_page(_report(figures=replace(FIGURES, strangest=())))


def test_report_has_examples_of_every_reason() -> None:
    first, second = _soup(_report()).find_all("details")
    assert first.summary.get_text() == "clean: bad (2)"
    assert "x.jsonl:3" in first.get_text()
    assert "no JSON" in first.get_text()
    assert first.find("a") is None
    assert second.blockquote.get_text() == "Menu | Home"
    assert second.a["href"] == "https://lights.example/"


def test_report_names_inputs_that_broke_or_shrank() -> None:
    assert "Inputs that broke" not in report_page(_report())
    inputs = [InputChange(f"/crawl/{n}.warc.gz", "broken", 900 - n, 12) for n in range(25)]
    soup = _soup(_report(inputs=inputs))
    rows = _rows(soup, "Inputs that broke or shrank")
    assert len(rows) == 20
    assert rows[0] == ["/crawl/0.warc.gz", "broken", "900", "12"]
    assert "and 5 more" in soup.get_text()
    assert "But 25 inputs broke or shrank" in soup.select(".verdict")[0].get_text()


def test_report_has_times_sizes_and_balance() -> None:
    soup = _soup(_report())
    assert _rows(soup, "Time") == [
        ["clean", "", "75.0%", "3.0"],
        ["extract", "", "25.0%", "1.0"],
        ["all", "", "", "4.0"],
    ]
    assert _rows(soup, "Tables") == [["10_pages", "7", "1", "2.0 MB", "25.0%"]]
    codes = dict(_rows(soup, "Hash codes"))
    assert codes["ones, mean of all bits"] == "0.500"
    assert codes["ones, lowest"] == "0.100 (bit 0)"
    assert codes["ones, highest"] == "0.900 (bit 2)"
    assert (codes["code recall"], codes["retraining due"]) == ("0.81", "yes")
    bars = [float(str(rect["height"])) for rect in soup.find_all("rect")]
    assert [bar for bar, height in enumerate(bars) if height] == [2, 10, 18]


def test_report_says_of_tables_only_what_was_counted() -> None:
    report = _report()
    captures = TableEntry(0, (FileEntry("12_captures/a.arrow", 0, 999, "0"),))
    rejects = TableEntry(0, (FileEntry("19_rejects/a.parquet", 0, 10, "0"),))
    tables = {"19_rejects": rejects, "12_captures": captures, **report.manifest.tables}
    first = replace(report.manifest, parent=None, tables=tables)
    assert _rows(_soup(replace(report, manifest=first)), "Tables") == [
        ["10_pages", "7", "1", "2.0 MB", "–"],
        ["12_captures", "–", "1", "999 B", "–"],
        ["19_rejects", "0", "1", "10 B", "–"],
    ]


def test_report_has_a_bill_only_when_an_llm_was_used() -> None:
    assert "Tokens of the LLM" not in report_page(_report())
    llm = {"calls": 3, "tokens_new": 12_345, "tokens_reused": 6}
    assert _rows(_soup(_report(llm=llm)), "Tokens of the LLM") == [
        ["calls", "3"], ["tokens new", "12,345"], ["tokens reused", "6"],
    ]  # fmt: skip


def test_report_has_what_the_quality_check_found_if_it_ran() -> None:
    assert "Quality check" not in report_page(_report())
    quality = {"before": None, "after": 0.9, "fell": False, "worse": 1, "worse_ids": ["<q1>"]}
    soup = _soup(_report(quality=quality))
    assert dict(_rows(soup, "Quality check")) == {
        "before": "–", "after": "0.9", "fell": "no", "worse": "1",
    }  # fmt: skip
    assert "Found less: <q1>" in soup.get_text()


def test_report_marks_where_a_unit_is_from_and_leads_there() -> None:
    article = _soup(_report()).article
    assert article is not None
    assert article.mark is not None
    assert article.mark.get_text() == "was lit in 1894"
    assert article.a is not None
    assert article.a["href"] == UNIT.url
    for text in (UNIT.text, UNIT.title, UNIT.heading, UNIT.segment):
        assert text in article.get_text()


HOSTILE = [
    "</script><script>alert(1)</script>",
    '" onmouseover="alert(1)',
    "' onfocus='alert(1)",
    "</mark></p></body><!-- ",
    "&lt;b&gt; &amp; &#60;i&#62;",
    "]]><![CDATA[",
    "{{ 7 * 7 }} {% for x in y %} <style>@import url(//evil.example)</style>",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_text_wherever_a_page_puts_it(text: str) -> None:
    unit = replace(UNIT, unit_id=text, text=text, heading=text, title=text, url=text)
    article = _soup(_report(units=[replace(unit, segment=text, start=0, end=len(text))])).article
    assert article is not None
    assert article.attrs == {"id": text}
    shown = [tag.get_text() for tag in article.find_all(["mark", "b", "bdi"])]
    assert shown == [text] * 5
    assert {tag.name for tag in article.find_all(True)} == {"p", "blockquote", "b", "bdi", "mark"}


@given(st.text())
def test_any_text_is_one_piece_of_text(text: str) -> None:
    page = report_page(_hostile(text))
    page.encode("utf-8")
    assert page.count("<") == report_page(_hostile("harmless")).count("<")


def _hostile(text: str) -> RunReport:
    """A report in which pages, inputs and a store's manifest say this wherever they can. It begins
    with a letter, because some of it is left out where it is empty."""
    text = f"x{text}"
    page = PageFigure(text, text, text, 1, 1, 1, 1, text)
    examples = (RejectExample(text, text, text, text),)
    changes = replace(
        CHANGES,
        before=text,
        reasons=(PageReason(text, text, 1),),
        rejects=(RejectChange(text, text, 1, 1),),
    )
    return _report(
        verdict=PublishVerdict(text, text, text, text),
        units=[replace(UNIT, kind=text, url=text, title=text, segment=text)],
        figures=BuildFigures(
            {text: 1},
            {text: 1},
            {text: 1},
            ((0, 1),),
            (page,),
            (page,),
            (RejectedFor(text, text, 1, examples),),
            1,
        ),
        comparison=Comparison(changes, {text: 1}, {text: 1}, {text: 1}),
        sites=[SiteFigure(text, 0, 1, 0, 1)],
        inputs=[InputChange(text, "broken", 1, 0)],
        counts={text: StageCounts(1, 0, {text: 1})},
        quality={text: text, "worse_ids": [text]},
    )


@pytest.mark.parametrize("url", ["https://a.example/b?c=1&d=%3Cx%3E#e", "HTTP://A.example/é"])
def test_link_leads_to_the_page_and_tells_nothing(url: str) -> None:
    page = replace(PAGE, source=url)
    figures = replace(FIGURES, longest=(page,), strangest=(), rejected=())
    links = _soup(_report(units=[replace(UNIT, url=url)], figures=figures)).find_all("a")
    assert len(links) == 2
    for link in links:
        assert link["href"] == url
        assert link["rel"] == ["noopener", "noreferrer", "nofollow"]
        assert link.get_text() == url


def test_control_characters_are_replaced_wherever_they_are() -> None:
    bad = "a\x00b\x1b[31m\x9b\u202ec\ud800"
    page = report_page(_report(counts={bad: StageCounts(1, 0, {bad: 1})}, llm={bad: 1}))
    assert not set("\x00\x1b\x9b\u202e\ud800") & set(page)
    assert page.count("a�b�[31m��c�") == 4


def test_report_of_hostile_pages_holds_nothing_that_runs_or_is_fetched() -> None:
    unit = ShownUnit(BAD, BAD, BAD, BAD, 3, 20, BAD, BAD, "javascript:alert(1)", BAD)
    harmless = _soup(replace(_hostile("harmless"), units=[UNIT]))
    page = report_page(replace(_hostile(BAD), units=[unit], head={"code_recall": BAD}))
    soup = BeautifulSoup(page, "lxml")
    assert {tag.name for tag in soup.find_all(True)} <= {
        tag.name for tag in harmless.find_all(True)
    }
    assert soup.find("a") is None
    for tag in soup.find_all(True):
        assert not {"src", "srcset", "background", "action"} & set(tag.attrs)
        assert not any(name.startswith("on") for name in tag.attrs)
    assert "\x00" not in page
    assert "<script" not in page
    for tag in ("script", "link", "img", "iframe", "object", "base", "form"):
        assert harmless.find(tag) is None


def test_report_forbids_everything_but_its_own_style() -> None:
    policy = _soup(_report()).find("meta", attrs={"http-equiv": "Content-Security-Policy"})
    assert isinstance(policy, Tag)
    assert str(policy["content"]).split("; ")[:2] == [
        "default-src 'none'", "style-src 'unsafe-inline'",
    ]  # fmt: skip


def test_report_of_an_empty_build_is_a_page() -> None:
    report = _report(units=[], balance=CodeBalance(0, ()), counts={}, head={})
    assert "Nothing was rejected" in report_page(report)
