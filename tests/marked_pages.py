"""Pages with gold main text in ../shared, and a score of texts against the gold."""

from __future__ import annotations

import gzip
import json
import re
import tarfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from tests.conftest import DATA

Pages = list[tuple[bytes, str]]


def news(data: Path = DATA) -> Pages:
    """HTML and gold text of the news articles."""
    gold = json.loads((data / "articles" / "gold.json").read_text(encoding="utf-8"))
    folder = data / "articles" / "html"
    return [
        (gzip.decompress((folder / f"{key}.html.gz").read_bytes()), record["articleBody"])
        for key, record in gold.items()
    ]


def web_of_2006(data: Path = DATA) -> Pages:
    """HTML and gold text of CleanEval, without its marks and its URL line."""
    members: dict[str, bytes] = {}
    with tarfile.open(data / "cleaneval" / "cleaneval-dev.tar.gz") as archive:
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
    return pages


def score(pairs: Iterable[tuple[str, str]]) -> tuple[float, float, float]:
    """Mean precision and mean recall of sequences of four words, and the F1 of these means."""
    precisions, recalls = [], []
    for text, gold in pairs:
        got, want = _shingles(text), _shingles(gold)
        hit = sum((got & want).values())
        if got:
            precisions.append(hit / sum(got.values()))
        if want:
            recalls.append(hit / sum(want.values()))
    precision, recall = sum(precisions) / len(precisions), sum(recalls) / len(recalls)
    return precision, recall, 2 * precision * recall / (precision + recall)


def _shingles(text: str) -> Counter[tuple[str, ...]]:
    words = re.findall(r"\w+", text)
    return Counter(zip(*(words[start:] for start in range(4)), strict=False))
