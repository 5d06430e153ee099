"""Marked pages as what models are trained on: signs of a page, features and labels of blocks."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing import Pool
from pathlib import Path

import numpy as np

from factmill.models.arrays import Floats
from factmill.models.pages.kind_model import PageSigns
from factmill.transforms.markup.decoding import html_as_utf8
from factmill.transforms.markup.formulas import write_formulas
from factmill.transforms.markup.html_tree import parse_html
from factmill.transforms.markup.inline_notes import drop_inline_notes
from factmill.transforms.markup.main_text.block_features import block_features
from factmill.transforms.markup.main_text.blocks import read_blocks
from factmill.transforms.markup.main_text.choice import choose_text
from factmill.transforms.markup.main_text.head import canonical_url, page_title
from factmill.transforms.markup.main_text.learned_choice import MAX_BLOCKS, counted_words
from factmill.transforms.markup.main_text.told_phrases import told_phrases
from factmill.transforms.markup.main_text.without_script import show_without_script
from factmill.transforms.markup.page_kind.page_signs import page_signs
from factmill.transforms.markup.posts.page_posts import page_posts
from factmill.transforms.markup.posts.post_elements import post_elements
from factmill.transforms.markup.tables.table_markdown import read_tables
from factmill.transforms.markup.unseen_text import drop_unseen
from tests.benchmarks.page_models.block_labels import block_labels
from tests.benchmarks.page_models.marked_webpages import MarkedPage, words


@dataclass(frozen=True, slots=True)
class PreparedPage:
    """`counted` are the words of each block that count, `labels` the marked share of them;
    `content_words` is the number of words to be found."""

    page: MarkedPage
    signs: PageSigns
    names: tuple[str, ...]
    features: Floats
    counted: Floats
    labels: Floats
    content_words: int


def prepare(page: MarkedPage) -> PreparedPage | None:
    """What is learned from a page; None when nothing can be. As `extract_page` reads it."""
    tree = parse_html(html_as_utf8(page.html()))
    if tree is None:
        return None
    write_formulas(tree)
    drop_unseen(tree)
    drop_inline_notes(tree)
    title = page_title(tree)
    signs = page_signs(tree, canonical_url(tree), title)
    tables = read_tables(tree)
    show_without_script(tree)
    told = told_phrases(tree)
    elements = post_elements(tree) if page.kind == "forum" else []
    blocks = read_blocks(tree, frozenset(elements), tables)
    if not 0 < len(blocks.blocks) <= MAX_BLOCKS:
        return None
    ruled = choose_text(blocks, title)
    posts = page_posts(blocks, elements, ())
    names, features = block_features(blocks, ruled, told, posts)
    content = words(page.content)
    labels = np.array(block_labels([words(b.text) for b in blocks.blocks], content), np.float32)
    counted = counted_words(blocks, ruled)
    return PreparedPage(page, signs, names, features, counted, labels, len(content))


def prepared_pages(pages: Sequence[MarkedPage], processes: int, kept: Path) -> list[PreparedPage]:
    """All pages that can be learned from. What was prepared is kept in a folder, a file a page;
    empty it when the features change."""
    kept.mkdir(parents=True, exist_ok=True)
    missing = [(page, kept) for page in pages if not _file(page, kept).exists()]
    with Pool(processes) as pool:
        for _ in pool.imap_unordered(_keep, missing, chunksize=4):
            pass
    found = [pickle.loads(_file(page, kept).read_bytes()) for page in pages]
    return [page for page in found if page is not None]


def _keep(work: tuple[MarkedPage, Path]) -> None:
    page, kept = work
    partial = _file(page, kept).with_suffix(".part")
    partial.write_bytes(pickle.dumps(prepare(page)))
    partial.replace(_file(page, kept))


def _file(page: MarkedPage, kept: Path) -> Path:
    return kept / f"{page.name}.pickle"
