from __future__ import annotations

import json
import re
import subprocess
import sys
from datetime import datetime, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmill.models.pages.kind_model import PAGE_KINDS
from factmill.schemas.errors import Rejected
from factmill.schemas.ids import page_id
from factmill.schemas.records import Reject
from factmill.schemas.tables import PAGES, SEGMENTS, to_table
from factmill.transforms.clean import extract_page as extract_page_module
from factmill.transforms.clean.extract_page import ExtractedPage, extract_page
from factmill.transforms.clean.invisible_characters import without_invisible
from factmill.transforms.inputs.page_files import read_page_file
from factmill.transforms.inputs.raw_page import RawPage
from factmill.transforms.inputs.sitemaps import Location
from factmill.transforms.inputs.warc import read_warc
from factmill.transforms.markup.posts.post import Post
from tests.conftest import ROOT, SAMPLES
from tests.transforms.clean.cleaned import CleanPage, clean_page

URL = "https://a.example/page"
PARAGRAPHS = [
    "The bridge was built in 1742 by a mason. It has five arches of stone. It is closed to cars.",
    "The ferry leaves at nine in summer. It takes 40 minutes to the isle. It costs £6.80 a head.",
    "The light was first lit in 1861. The tower is 34.2 m tall today. Nobody lives there any more.",
]


def _html(paragraphs: list[str], title: str = "Harrow Bay") -> str:
    body = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    return (
        f"<html lang=en><head><title>{title}</title></head><body><article>{body}"
        "<table><caption>Bridges</caption><tr><th>Name</th><th>Built</th></tr>"
        "<tr><td>Weaver's Bridge</td><td>1742</td></tr></table></article></body></html>"
    )


def _samples() -> list[CleanPage]:
    root = SAMPLES / "html"
    raws = [
        read_page_file(path, path.relative_to(root).as_posix(), "html", Location())
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.name != "live.html"
    ]
    raws += read_warc(SAMPLES / "crawl.warc.gz", "crawl.warc.gz")
    return [clean_page(raw) for raw in raws if isinstance(raw, RawPage)]


@pytest.fixture(scope="module")
def samples() -> list[CleanPage]:
    return _samples()


def test_clean_page_samples_offsets_of_segments_and_entities_hold(
    samples: list[CleanPage],
) -> None:
    entities = 0
    for clean in samples:
        for segment in clean.segments:
            assert segment.page_id == clean.page.page_id
            if segment.kind == "text":
                assert clean.page.text[segment.start : segment.end] == segment.text
                assert segment.text == segment.text.strip() != ""
            else:
                assert (segment.start, segment.end) == (None, None)
            for entity in segment.entities:
                assert segment.text[entity.start : entity.end] == entity.text
                entities += 1
    assert len(samples) == 28
    assert entities > 300


def test_clean_page_samples_segments_are_numbered_and_tables_come_last(
    samples: list[CleanPage],
) -> None:
    for clean in samples:
        assert [segment.ordinal for segment in clean.segments] == list(range(len(clean.segments)))
        kinds = [segment.kind for segment in clean.segments]
        assert kinds == sorted(kinds, key=("text", "table", "data").index)
    ids = [segment.segment_id for clean in samples for segment in clean.segments]
    # The two captures of /club/history are one page.
    assert len(set(ids)) >= len(ids) - 7
    assert sum(segment.kind == "table" for clean in samples for segment in clean.segments) >= 8


def test_clean_page_samples_twice_have_the_same_ids(samples: list[CleanPage]) -> None:
    again = _samples()
    assert [clean.page for clean in again] == [clean.page for clean in samples]
    assert [[s.segment_id for s in clean.segments] for clean in again] == [
        [s.segment_id for s in clean.segments] for clean in samples
    ]


def test_clean_page_edit_of_one_paragraph_keeps_the_other_segments_ids() -> None:
    edited = [PARAGRAPHS[0], PARAGRAPHS[1].replace("nine", "ten"), PARAGRAPHS[2]]
    before = clean_page(RawPage("x", URL, html=_html(PARAGRAPHS)))
    after = clean_page(RawPage("y", URL, html=_html(edited)))
    assert [segment.text for segment in before.segments[:3]] == PARAGRAPHS
    assert before.page.page_id == after.page.page_id
    assert before.page.content_hash != after.page.content_hash
    same = [
        one.segment_id == two.segment_id
        for one, two in zip(before.segments, after.segments, strict=True)
    ]
    assert same == [True, False, True, True]


def test_clean_page_repeated_segments_have_ids_of_their_own() -> None:
    clean = clean_page(RawPage("x", URL, text="\n".join([PARAGRAPHS[0]] * 3)))
    assert [segment.text for segment in clean.segments] == [PARAGRAPHS[0]] * 3
    assert len({segment.segment_id for segment in clean.segments}) == 3


def test_clean_page_other_title_gives_other_segment_ids() -> None:
    one, two = (clean_page(RawPage("x", URL, title=t, text=PARAGRAPHS[0])) for t in ("A", "B"))
    assert one.page.page_id == two.page.page_id
    assert one.segments[0].segment_id != two.segments[0].segment_id


def test_clean_page_url_of_the_input_is_the_identity_not_the_canonical_one() -> None:
    html = _html(PARAGRAPHS).replace(
        "<title>", "<link rel=canonical href=https://b.example/><title>"
    )
    given_url, none = clean_page(RawPage("x", URL, html=html)), clean_page(RawPage("x", html=html))
    assert given_url.page.url == URL
    assert given_url.page.page_id == page_id(URL, "", "")
    assert none.page.url == "https://b.example/"
    assert none.page.page_id == page_id("", "x", "", "https://b.example/")


def test_clean_page_known_by_the_url_it_declares_keeps_its_id_when_edited() -> None:
    link = "<link rel=canonical href=https://b.example/><title>"
    old = clean_page(RawPage("x", html=_html(PARAGRAPHS).replace("<title>", link)))
    new = clean_page(RawPage("x", html=_html(PARAGRAPHS[:1]).replace("<title>", link)))
    assert old.page.content_hash != new.page.content_hash
    assert old.page.page_id == new.page.page_id
    # Another file that declares the same URL is another page, and none has the id of the URL.
    other = clean_page(RawPage("y", html=_html(PARAGRAPHS).replace("<title>", link)))
    owner = clean_page(RawPage("x", "https://b.example/", html=_html(PARAGRAPHS)))
    assert len({old.page.page_id, other.page.page_id, owner.page.page_id}) == 3


def test_clean_page_title_of_the_input_wins_and_is_one_line() -> None:
    raw = RawPage("x", URL, title=" Bay \n overview", html=_html(PARAGRAPHS))
    assert clean_page(raw).page.title == "Bay overview"
    assert clean_page(RawPage("x", URL, html=_html(PARAGRAPHS))).page.title == "Harrow Bay"
    assert clean_page(RawPage("x", URL, html=_html(PARAGRAPHS))).page.lang == "en"


def test_clean_page_table_is_no_part_of_the_text_but_of_the_content_hash() -> None:
    one = clean_page(RawPage("x", URL, html=_html(PARAGRAPHS)))
    two = clean_page(RawPage("x", URL, html=_html(PARAGRAPHS).replace("<td>1742", "<td>1743")))
    assert "Weaver's Bridge" not in one.page.text
    assert one.segments[-1].text == (
        "Bridges\n| Name | Built |\n| --- | --- |\n| Weaver's Bridge | 1742 |"
    )
    assert one.page.text == two.page.text
    assert one.page.content_hash != two.page.content_hash


@pytest.mark.parametrize(
    "raw",
    [
        RawPage("x", html=""),
        RawPage("x", html=b"\0\0\0"),
        RawPage("x", html="<html><body></body></html>"),
        RawPage("x", html="<!-- nothing -->"),
        RawPage("x", html="<script>var a = 'a long text that is no text at all';</script>"),
        RawPage("x", html="<ul><li>Home</li><li>Imprint</li><li>Contact</li></ul>"),
        RawPage("x", text=" \n "),
        RawPage("x", text="\0\x01"),
        RawPage("x"),
    ],
)
def test_clean_page_without_text_is_rejected(raw: RawPage) -> None:
    with pytest.raises(Rejected) as caught:
        clean_page(raw)
    assert caught.value.reason == "no_text"


def test_clean_page_short_plain_text_is_kept() -> None:
    assert clean_page(RawPage("x", text="Rain.")).page.text == "Rain."


def test_clean_page_lone_surrogates_leave_nothing_that_cannot_be_stored() -> None:
    raw = RawPage("x", URL, title="Bay \ud800", text="A page \udfff with odd characters.")
    clean = clean_page(raw)
    assert to_table([clean.page], PAGES).num_rows == 1
    assert to_table(clean.segments, SEGMENTS).num_rows == 1


@pytest.mark.parametrize("entity", ["&#xD800;", "&#0;", "&#1;", "&#xFFFF;", "\x0b"])
def test_clean_page_character_references_leave_nothing_that_cannot_be_stored(entity: str) -> None:
    html = _html([paragraph + f" It is{entity}odd." for paragraph in PARAGRAPHS], f"T{entity}t")
    clean = clean_page(RawPage("x", URL, html=html.replace("1742</td>", f"1742{entity}</td>")))
    assert to_table([clean.page], PAGES).num_rows == 1
    assert to_table(clean.segments, SEGMENTS).num_rows == len(clean.segments)
    assert "\0" not in clean.page.title + clean.page.text


@given(st.text(st.characters(), max_size=200))
@settings(max_examples=100)
def test_clean_page_any_text_has_segments_that_stand_in_it_in_order(text: str) -> None:
    try:
        clean = clean_page(RawPage("x", text=text))
    except Rejected:
        return
    position = 0
    for segment in clean.segments:
        assert segment.start is not None
        assert segment.end is not None
        assert position <= segment.start < segment.end <= len(clean.page.text)
        assert clean.page.text[segment.start : segment.end] == segment.text
        position = segment.end
    assert to_table([clean.page], PAGES).num_rows == 1


@given(st.text("<>/abp='\" !-&;#x0tdrhl\n", max_size=120))
@settings(max_examples=150)
def test_clean_page_any_markup_is_a_page_or_rejected(html: str) -> None:
    try:
        clean = clean_page(RawPage("x", html=html))
    except Rejected:
        return
    assert to_table(clean.segments, SEGMENTS).num_rows == len(clean.segments)


def test_clean_page_short_page_leaves_its_table_out_of_the_text() -> None:
    paragraph = "The ferry to the lighthouse leaves at nine in the morning and takes forty minutes."
    table = "<table><tr><th>Name</th><th>Built</th></tr><tr><td>Gannet Rock</td><td>1894</td></tr>"
    html = f"<html><body><article><p>{paragraph}</p>{table}</table></article></body></html>"

    clean = clean_page(RawPage("x", html=html))

    assert clean.page.text == paragraph
    assert [segment.kind for segment in clean.segments] == ["text", "table"]


GERMAN = (
    "Die Fähre fährt im Sommer um neun Uhr ab. Sie braucht vierzig Minuten bis zur Insel, und die "
    "Überfahrt kostet sechs Euro. Der Leuchtturm wurde im Jahr 1861 zum ersten Mal angezündet."
)


def test_extract_page_keeps_the_wanted_languages_and_pages_that_do_not_tell() -> None:
    english, german = (RawPage("x", URL, text=text) for text in (" ".join(PARAGRAPHS), GERMAN))
    assert not isinstance(extract_page(english, {"en"}), Reject)
    assert not isinstance(extract_page(RawPage("x", text="1861."), {"en"}), Reject)
    rejected = extract_page(german, {"en", "fr"})
    assert rejected == Reject("clean", "other_language", "x", URL, "de")
    found = extract_page(german, {"de"})
    assert not isinstance(found, Reject)
    assert found.page.lang == "de"


def test_extract_page_keeps_the_wanted_kinds_and_text_that_has_none() -> None:
    article = RawPage("x", URL, html=_html(PARAGRAPHS))
    found = extract_page(article)
    assert not isinstance(found, Reject)
    kind = found.page.kind
    assert kind in PAGE_KINDS
    assert found.page.kind_confidence is not None
    assert found == extract_page(article, kinds={kind, "forum"})
    rejected = extract_page(article, kinds=set(PAGE_KINDS) - {kind})
    assert rejected == Reject("clean", "other_kind", "x", URL, kind)
    text = extract_page(RawPage("x", text=" ".join(PARAGRAPHS)), kinds={"forum"})
    assert not isinstance(text, Reject)
    assert (text.page.kind, text.page.kind_confidence) == ("", None)
    assert text.page.text_confidence is None


def test_extract_page_has_what_the_page_says_of_itself_in_structured_data() -> None:
    said = {
        "@type": "NewsArticle",
        "headline": "The bridge",
        "author": {"name": "Ada \u001b[1mQuist"},
        "datePublished": "2021-05-06",
    }
    script = f"<script type='application/ld+json'>{json.dumps(said)}</script>"
    plain = extract_page(RawPage("x", URL, html=_html(PARAGRAPHS)))
    found = extract_page(RawPage("x", URL, html=script + _html(PARAGRAPHS)))
    assert isinstance(plain, ExtractedPage)
    assert isinstance(found, ExtractedPage)
    assert (plain.page.author, plain.page.published, plain.data) == ("", None, ())
    assert found.page.author.startswith("Ada ")
    assert "\x1b" not in found.page.author + "".join(found.data)
    assert found.page.published == datetime(2021, 5, 6, tzinfo=timezone.utc)
    (text,) = found.data
    assert text.endswith("\nPublication date: 2021-05-06")
    assert found.page.text == plain.page.text
    assert found.page.content_hash != plain.page.content_hash
    assert 0 < (found.page.text_confidence or 0) <= 1


def test_extract_page_repeats_ignore_case_and_space_and_leave_out_short_sentences() -> None:
    one = extract_page(RawPage("x", text="Sign up for our  letters.\nEarly life\nIt has 5 rooms."))
    two = extract_page(RawPage("y", text="SIGN UP for our letters. It has 6 rooms."))
    assert not isinstance(one, Reject)
    assert not isinstance(two, Reject)
    assert one.repeats[0] == two.repeats[0] != 0
    assert one.repeats[1] == 0
    assert one.repeats[2] != two.repeats[1]


def test_extract_page_headings_are_those_lines_of_the_text_that_are_headings() -> None:
    html = _html(PARAGRAPHS).replace("<p>The ferry", "<h2>Getting\n there</h2><p>The ferry")
    found = extract_page(RawPage("x", URL, html=html))
    assert not isinstance(found, Reject)
    assert found.headings == ("Getting there",)


def test_extract_page_heading_of_two_lines_with_an_icon_and_a_mark_is_a_heading() -> None:
    heading = "<h2><svg><title>Boat</title></svg>Getting<br>there<a href='#g'>#</a></h2>"
    html = _html(PARAGRAPHS).replace("<p>The ferry", f"{heading}<p>The ferry")
    found = extract_page(RawPage("x", URL, html=html))
    assert not isinstance(found, Reject)
    assert found.headings == ("Getting there",)


@pytest.mark.parametrize("own", [True, False])
def test_extract_page_title_has_nothing_that_steers_a_terminal_or_turns_text(own: bool) -> None:
    title = "Harbour\u009b31m \u202egnp.exe\u202c \u2066 Bay"
    html = _html(PARAGRAPHS, "" if own else title)
    extracted = extract_page(RawPage("s", URL, title if own else "", html=html))
    assert not isinstance(extracted, Reject)
    assert extracted.page.title == "Harbour31m gnp.exe Bay"


def test_extract_page_link_to_itself_is_stored_without_credentials() -> None:
    link = "<head><link rel=canonical href='https://user:pw@a.example/x'>"
    extracted = extract_page(RawPage("s", html=_html(PARAGRAPHS).replace("<head>", link)))
    assert not isinstance(extracted, Reject)
    assert extracted.page.url == "https://a.example/x"


def test_extract_page_posts_are_where_they_stand_without_invisible_characters() -> None:
    said = [
        f"Which oil burns long\u00adest in a storm lan\u00adtern of type {n}?" for n in range(6)
    ]
    posts = "".join(
        f"<div class=post id=post-{n}><a class=username href=/members/ada>Ada</a>"
        f"<time datetime=2022-07-0{n + 1}>Jul {n + 1}, 2022</time><p>{text}</p></div>"
        for n, text in enumerate(said)
    )
    html = (
        "<html lang=en><head><title>Oil for lanterns | Forum</title></head><body class=thread>"
        f"<h1>Oil for lanterns</h1><div class=posts>{posts}</div></body></html>"
    )
    page = extract_page(RawPage("1", "https://forum.a.example/threads/oil.1/", html=html))
    assert isinstance(page, ExtractedPage)
    spans = [page.sentences[post.start : post.end] for post in page.posts]
    assert [page.page.text[span[0][0] : span[-1][1]] for span in spans] == [
        text.replace("\u00ad", "") for text in said
    ]


def test_extract_page_invisible_characters_are_sought_once_in_all_posts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read = 0

    def counted(text: str) -> str:
        nonlocal read
        read += len(text)
        return without_invisible(text)

    monkeypatch.setattr(extract_page_module, "without_invisible", counted)
    text = "\n".join(f"post num\u00adber {n}" for n in range(500))
    ends = [match.end() for match in re.finditer(r"[^\n]+", text)]
    posts = [
        Post(n, None, None, start, end)
        for n, (start, end) in enumerate(zip([0, *(e + 1 for e in ends)], ends, strict=False))
    ]
    seen = list(extract_page_module._seen_posts(posts, text))
    visible = without_invisible(text)
    assert [visible[p.start : p.end] for p in seen] == [f"post number {n}" for n in range(500)]
    assert read <= 2 * len(text)


def test_workers_do_not_load_the_extractors_that_the_processes_for_pages_need() -> None:
    program = "import sys; import factmill.transforms.clean.extract_page; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    assert "lxml.html" in loaded
    assert not {"trafilatura", "bs4"} & set(loaded)
