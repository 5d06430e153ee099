"""F1 of the main text against gold: ours and trafilatura's, on news articles and CleanEval.

    python -m tests.benchmarks.bench_main_text DATA

DATA is the folder of the evaluation data. Even and odd pages are also scored separately, because a
rule must help on both.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import trafilatura

from factmill.models.pages.kind_model import kind_model
from factmill.transforms.markup.decoding import decode_html
from factmill.transforms.markup.html_tree import parse_html
from factmill.transforms.markup.main_text.extract_text import extract_main_text
from factmill.transforms.markup.main_text.head import canonical_url, page_title
from factmill.transforms.markup.page_kind.page_signs import page_signs
from tests.marked_pages import news, score, web_of_2006


def own(html: bytes) -> str:
    """Our main text, as `extract_page` finds it: by rule, or by the learned model for the guessed
    kind.
    """
    tree = parse_html(decode_html(html))
    if tree is None:
        return ""
    signs = page_signs(tree, canonical_url(tree), page_title(tree))
    return extract_main_text(tree, kind_model().guess(signs)).text


def by_rule(html: bytes) -> str:
    tree = parse_html(decode_html(html))
    return "" if tree is None else extract_main_text(tree).text


def bare_trafilatura(html: bytes) -> str:
    return trafilatura.extract(html, fast=True) or ""


def text_only_trafilatura(html: bytes) -> str:
    return trafilatura.extract(html, fast=True, include_comments=False, include_tables=False) or ""


EXTRACTORS: dict[str, Callable[[bytes], str]] = {
    "trafilatura, fast": bare_trafilatura,
    "without comments and tables": text_only_trafilatura,
    "factmill, by rule": by_rule,
    "factmill": own,
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    data = parser.parse_args().data
    for name, pages in (("articles", news(data)), ("cleaneval", web_of_2006(data))):
        for extractor, extract in EXTRACTORS.items():
            began = time.process_time()
            pairs = [(extract(html), gold) for html, gold in pages]
            cost = 1000 * (time.process_time() - began) / len(pairs)
            precision, recall, f1 = score(pairs)
            halves = " / ".join(f"{score(pairs[half::2])[2]:.4f}" for half in (0, 1))
            print(
                f"{name:9} {extractor:27} F1 {f1:.4f} (P {precision:.4f}, R {recall:.4f}), "
                f"even / odd {halves}, {cost:.1f} ms of processor time a page",
                flush=True,
            )


if __name__ == "__main__":
    main()
