"""Labelled questions searched in an open index, to train and measure the link scorer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from factmill.models.links.asked_question import AskedQuestion
from factmill.models.text.gold_ids import GoldIds
from factmill.runtime.evaluate import Question
from factmill.runtime.index import Index

# Candidates are looked up for this many pages, as in a search with the default -k.
_K = 20


def asked_questions(index: Index, questions: Sequence[Question]) -> Iterator[AskedQuestion]:
    """The questions that find anything and whose gold pages are all in the index."""
    pages = _gold_pages(index, questions)
    for question in questions:
        wanted = [pages[name] for name in question.gold_ids if name in pages]
        if not wanted or len(wanted) < len(question.gold_ids):
            continue
        (query,) = index.encode([question.text])
        found = index.page_search.unranked(query, _K)
        if len(found.pages):
            gold = np.isin(found.pages.pages, wanted)
            yield AskedQuestion(
                question.dataset, found.pages.fused, gold, len({*wanted}) - int(gold.sum()),
                found.named, found.features,
            )  # fmt: skip


def _gold_pages(index: Index, questions: Sequence[Question]) -> dict[str, int]:
    """The number of the page of each gold id."""
    ids = GoldIds(name for question in questions for name in question.gold_ids)
    return {
        name: page for page, names in enumerate(index.page_names()) for name in ids.of_page(*names)
    }
