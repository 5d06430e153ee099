"""The main text of pages that others collected and marked, in ../shared."""

from __future__ import annotations

import gzip
import json
import re
import tarfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest
import trafilatura

from transforms.decoding import decode_html
from transforms.html_tree import parse_html
from transforms.main_text.extract import extract_main_text

DATA = Path(__file__).parents[4] / "shared" / "data"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data is not there")


def _own(html: bytes) -> str:
    tree = parse_html(decode_html(html))
    assert tree is not None
    return extract_main_text(tree)


def _trafilatura(html: bytes) -> str:
    return trafilatura.extract(html, fast=True) or ""


def _shingles(text: str) -> Counter[tuple[str, ...]]:
    words = re.findall(r"\w+", text)
    return Counter(zip(*(words[start:] for start in range(4)), strict=False))


def _f1(pairs: Iterable[tuple[str, str]]) -> float:
    """Of the mean precision and the mean recall of four words in a row."""
    precisions, recalls = [], []
    for text, gold in pairs:
        got, want = _shingles(text), _shingles(gold)
        hit = sum((got & want).values())
        if got:
            precisions.append(hit / sum(got.values()))
        if want:
            recalls.append(hit / sum(want.values()))
    precision, recall = sum(precisions) / len(precisions), sum(recalls) / len(recalls)
    return 2 * precision * recall / (precision + recall)


def test_extract_main_text_news_pages_reach_the_gold() -> None:
    gold = json.loads((DATA / "articles" / "gold.json").read_text(encoding="utf-8"))
    pages = [
        (gzip.decompress((DATA / "articles" / "html" / f"{key}.html.gz").read_bytes()), record)
        for key, record in gold.items()
    ]
    assert len(pages) > 50
    assert _f1((_own(html), record["articleBody"]) for html, record in pages) > 0.975


def test_extract_main_text_web_of_2006_is_closer_to_the_gold_than_trafilatura() -> None:
    members: dict[str, bytes] = {}
    with tarfile.open(DATA / "cleaneval" / "cleaneval-dev.tar.gz") as archive:
        for member in archive:
            content = archive.extractfile(member)
            if content is not None:
                members[member.name] = content.read()
    pages = []
    for name, html in members.items():
        if name.endswith(".html"):
            gold = members[f"GoldStandard/{Path(name).stem}.txt"].decode("utf-8", "replace")
            gold = re.sub(r"^\s*URL:.*\n", "", gold)
            pages.append((html, re.sub(r"</?[hpl]>", " ", gold, flags=re.IGNORECASE)))
    assert len(pages) > 50
    own = _f1((_own(html), gold) for html, gold in pages)
    assert own > _f1((_trafilatura(html), gold) for html, gold in pages) + 0.05
