"""A build's own QA pairs as questions with gold pages: training data without labels.

    21_qa_pairs -> the first pair of each page by id -> the first pages by id

They are asked of `Index.without_pairs`, because the index holds each of them word for word.
"""

from __future__ import annotations

from factmill.runtime.evaluate import Question
from factmill.runtime.index import Index
from factmill.schemas.tables import QA_PAIRS_TABLE
from factmill.transforms.tasks.shard_files import read_rows

OWN = "own"
_COLUMNS = ["unit_id", "page_id", "question", "answer"]


def own_questions(index: Index, most: int) -> list[Question]:
    """One question each of `most` pages, the same in every run."""
    first: dict[str, tuple[str, str, str]] = {}
    for shard in range(index.manifest.shards):
        for row in read_rows(index.build.part(QA_PAIRS_TABLE, shard), _COLUMNS):
            page, pair = row["page_id"], (row["unit_id"], row["question"], row["answer"])
            first[page] = min(first.get(page, pair), pair)
    # Page ids are hashes, so the first ids are a sample of all sites.
    chosen = sorted(first)[:most]
    return [
        Question(unit, text, (answer,), frozenset({page}), OWN)
        for page in chosen
        for unit, text, answer in [first[page]]
    ]
