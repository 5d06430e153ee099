from __future__ import annotations

import bz2
import gzip
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path

import pytest

from factmill.schemas.records import Reject
from factmill.transforms.inputs import xml_stream
from factmill.transforms.inputs.compression import file_kind
from factmill.transforms.inputs.mediawiki import read_mediawiki
from factmill.transforms.inputs.raw_page import RawPage

HEAD = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="de">
  <siteinfo><sitename>Wiki</sitename><base>https://de.wiki.example/wiki/Hauptseite</base>
  <namespaces><namespace key="0"/><namespace key="6">Datei</namespace></namespaces></siteinfo>
"""


def _revision(text: str, date: str = "2024-05-06T07:08:09Z", model: str = "wikitext") -> str:
    return (
        f"<revision><id>1</id><timestamp>{date}</timestamp><model>{model}</model>"
        f'<text xml:space="preserve">{text}</text></revision>'
    )


def _page(title: str, *revisions: str, ns: int = 0, more: str = "", number: int = 1) -> str:
    body = "".join(revisions)
    return f"<page><title>{title}</title><ns>{ns}</ns><id>{number}</id>{more}{body}</page>\n"


def _dump(*pages: str, head: str = HEAD) -> bytes:
    return (head + "".join(pages) + "</mediawiki>\n").encode()


def _read(path: Path, content: bytes) -> list[RawPage | Reject]:
    path.write_bytes(content)
    return list(read_mediawiki(path, "d.xml"))


@pytest.mark.parametrize("pack", [bytes, bz2.compress, gzip.compress])
def test_read_mediawiki_page_is_its_latest_revision(
    tmp_path: Path, pack: Callable[[bytes], bytes]
) -> None:
    old, new = (
        _revision("Old.", "2020-01-01T00:00:00Z"),
        _revision("The &lt;b&gt;new&lt;/b&gt; one."),
    )
    content = pack(_dump(_page("Fähre &amp; Hafen?", new, old, number=7)))
    (page,) = _read(tmp_path / "d", content)
    assert file_kind(tmp_path / "d") == "mediawiki"
    assert page == RawPage(
        "d.xml:7",
        "https://de.wiki.example/wiki/F%C3%A4hre_%26_Hafen%3F",
        "Fähre & Hafen?",
        text="The new one.",
        fetched_at=datetime(2024, 5, 6, 7, 8, 9, tzinfo=timezone.utc),
    )


def test_read_mediawiki_says_why_pages_are_none(tmp_path: Path) -> None:
    content = _dump(
        _page("Diskussion:A", _revision("x"), ns=1, number=1),
        _page("B", _revision("#REDIRECT [[C]]"), more='<redirect title="C" />', number=2),
        _page("D", number=3),
        _page("E", _revision("{}", model="json"), number=4),
        _page("F", _revision("[[Datei:a.jpg|x]]{{a}}"), number=5),
        _page("G", _revision("Text."), number=6),
    )
    found = _read(tmp_path / "d", content)
    rejects = [one for one in found if isinstance(one, Reject)]
    assert [(one.record_id, one.reason) for one in rejects] == [
        ("d.xml:1", "not_a_page"),
        ("d.xml:2", "redirect"),
        ("d.xml:3", "empty_body"),
        ("d.xml:4", "not_html"),
        ("d.xml:5", "empty_body"),
    ]
    assert rejects[1].detail == "to C"
    assert isinstance(found[5], RawPage)


@pytest.mark.parametrize(
    ("base", "url"),
    [
        ("http://w.example/index.php?title=Main_Page", "http://w.example/index.php?title=A_b"),
        ("http://w.example/w/Main", "http://w.example/w/A_b"),
        ("", ""),
    ],
)
def test_read_mediawiki_url_follows_the_base(tmp_path: Path, base: str, url: str) -> None:
    head = f"<mediawiki><siteinfo><base>{base}</base></siteinfo>"
    (page,) = _read(tmp_path / "d", _dump(_page("A b", _revision("Text.")), head=head))
    assert isinstance(page, RawPage)
    assert page.url == url


def test_read_mediawiki_broken_off_gives_what_came_before(tmp_path: Path) -> None:
    pages = [_page(f"P{n}", _revision(f"Text {n}. " * 9), number=n) for n in range(9)]
    content = _dump(*pages)
    for kept in (len(content) // 2, len(content) - 5):
        *before, last = _read(tmp_path / "d", content[:kept])
        assert before
        assert all(isinstance(page, RawPage) for page in before)
        assert isinstance(last, Reject)
        assert last.reason == "broken_file"


def test_read_mediawiki_page_over_ten_megabytes_costs_no_later_page(tmp_path: Path) -> None:
    large = _page("A", _revision("x" * 10_100_000, model="json"))
    found = _read(tmp_path / "d", _dump(large, _page("B", _revision("Text."))))
    assert isinstance(found[0], Reject)
    assert found[0].reason == "not_html"
    assert isinstance(found[1], RawPage)


def test_read_mediawiki_element_without_end_is_not_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(xml_stream, "_MAX_ELEMENT_BYTES", 200_000)
    pages = [_page(f"P{n}", _revision("Text. " * 20_000), number=n) for n in range(4)]
    *before, last = _read(tmp_path / "d", _dump(*pages, _page("A", _revision("x" * 300_000))))
    assert [type(one) for one in before] == [RawPage] * 4
    assert isinstance(last, Reject)
    assert last.reason == "broken_file"


@pytest.mark.parametrize("where", ["text", "attribute"])
def test_read_mediawiki_entities_are_not_expanded(tmp_path: Path, where: str) -> None:
    entities = '<!ENTITY a0 "lol">' + "".join(
        f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12)
    )
    head = f"<!DOCTYPE mediawiki [{entities}]><mediawiki>"
    revision = _revision("Before &a11;" if where == "text" else "Text.")
    more = '<redirect title="&a11;"/>' if where == "attribute" else ""
    found = _read(tmp_path / "d", _dump(_page("A", revision, more=more), head=head))
    assert len(found) == 1
    assert "lol" not in str(found)


def test_read_mediawiki_files_of_the_machine_stay_unread(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret words")
    head = f'<!DOCTYPE m [<!ENTITY x SYSTEM "file://{tmp_path}/secret">]><mediawiki>'
    assert "secret words" not in str(
        _read(tmp_path / "d", _dump(_page("A", _revision("a &x; b")), head=head))
    )


@pytest.mark.parametrize("many", ["<a/>" * 400_000, "<a" + ' x=""' * 400_000 + "/>"])
def test_read_mediawiki_page_of_too_many_elements_is_not_held(tmp_path: Path, many: str) -> None:
    pages = [_page("A", _revision("Text.")), _page("B", _revision("Text."), more=many)]
    first, last = _read(tmp_path / "d", _dump(*pages))
    assert isinstance(first, RawPage)
    assert isinstance(last, Reject)
    assert "an element with over 300000" in last.detail
