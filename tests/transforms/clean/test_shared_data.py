"""Pages that others collected, in ../shared, which is not part of the repository."""

from __future__ import annotations

import csv
import gzip
import re
from pathlib import Path

import pytest

from factmill.schemas.errors import Rejected
from factmill.transforms.inputs.discovery import find_inputs, plan_splits
from factmill.transforms.inputs.raw_page import RawPage
from factmill.transforms.inputs.read_split import read_split
from factmill.transforms.markup.decoding import decode_html
from factmill.transforms.markup.html_tree import parse_html
from factmill.transforms.markup.tables.table_markdown import read_tables
from tests.conftest import DATA
from tests.transforms.clean.cleaned import clean_page

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data is not there")


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def _gold_cells(path: Path) -> set[str]:
    rows = csv.reader(path.read_text(encoding="utf-8").splitlines(), escapechar="\\")
    return {_words(cell) for row in rows for cell in row} - {""}


def test_read_tables_wikipedia_pages_hold_the_gold_cells() -> None:
    pages = sorted((DATA / "tables").glob("*.html.gz"))[::13][:20]
    assert len(pages) == 20
    shares = []
    for page in pages:
        tree = parse_html(decode_html(gzip.decompress(page.read_bytes()), "utf-8"))
        assert tree is not None
        found = {
            _words(cell)
            for table in read_tables(tree).values()
            for row in (table.header, *table.body)
            for cell in row
        }
        gold = _gold_cells(page.with_name(page.name.replace(".html.gz", ".csv")))
        shares.append(len(gold & found) / len(gold))
    assert min(shares) > 0.5, shares
    assert sum(shares) / len(shares) > 0.9, shares


def _html5lib_blocks() -> list[str]:
    blocks = []
    for path in sorted((DATA / "malformed" / "html5lib").rglob("*.dat")):
        text = path.read_text(encoding="utf-8", errors="surrogateescape")
        blocks += re.findall(r"^#data\n(.*?)\n#errors", text, re.DOTALL | re.MULTILINE)
    return blocks


def test_clean_page_html5lib_blocks_are_pages_or_rejected() -> None:
    blocks = _html5lib_blocks()
    assert len(blocks) > 1000
    cleaned, blocks = 0, blocks[::3]
    for block in blocks:
        for html in (block, f"<p>{'A sentence before the broken part. ' * 3}</p>{block}"):
            try:
                clean = clean_page(RawPage("x", html=html))
            except Rejected:
                continue
            cleaned += 1
            for segment in clean.segments:
                if segment.kind == "text":
                    assert clean.page.text[segment.start : segment.end] == segment.text
    assert cleaned > len(blocks) // 2


def test_clean_page_every_warc_file_is_read_and_cleaned_without_a_bug() -> None:
    pages = rejected = 0
    for split in plan_splits(find_inputs([str(DATA / "warc")])):
        for number, raw in enumerate(read_split(split)):
            if not isinstance(raw, RawPage):
                rejected += 1
                continue
            if number > 20 and number % 4:
                continue  # the one large crawl has many pages of a kind
            try:
                clean_page(raw)
                pages += 1
            except Rejected:
                rejected += 1
    assert pages > 20
    assert rejected > 0


def test_decode_html_pages_in_many_charsets_never_raise() -> None:
    paths = sorted((DATA / "malformed" / "charsets").rglob("*.*"))[::9]
    assert len(paths) > 30
    for path in paths:
        assert decode_html(path.read_bytes()).encode("utf-8")
