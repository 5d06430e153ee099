"""Questions with documents as they are shown to an LLM, to train and measure an R2-Former with it.

    question -> search -> the unit of each gold page that holds an answer, the best unit of others
             -> ten documents in random order (the paper's NQ-10 and HotpotQA)

A question whose gold pages have no unit with an answer is left out, because it cannot be answered.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from factmill.models.answering.r2former.list_features import list_features
from factmill.models.answering.r2former.shown_documents import shown_document
from factmill.models.answering.r2former.shown_example import ShownExample
from factmill.models.answering.r2former.training_config import RankedExample
from factmill.models.arrays import Floats
from factmill.models.text.gold_ids import GoldIds
from factmill.runtime.evaluate import Question, normalised
from factmill.runtime.index import Index
from factmill.runtime.search.hits import Hit

_SEARCHED = 30
_MAX_GOLD = 2
_MAX_CHARACTERS = 300


def shown_examples(
    index: Index, questions: Sequence[Question], documents: int, most: int, seed: int
) -> list[ShownExample]:
    """`most` of the answerable questions, drawn with the seed."""
    order = np.random.default_rng(seed).permutation(len(questions))
    found: list[ShownExample] = []
    for number in order.tolist():
        if len(found) == most:
            break
        example = _example(index, questions[number], documents, seed + number)
        if example:
            found.append(example)
    return found


def _example(index: Index, question: Question, documents: int, seed: int) -> ShownExample | None:
    answers = {normalised(answer): answer for answer in question.answers if normalised(answer)}
    found = index.search_vectors(question.text, _SEARCHED)
    ids = GoldIds(question.gold_ids)
    gold: list[tuple[str, Floats]] = []
    others: list[tuple[str, Floats]] = []
    for hit, of_hit in zip(found.hits, found.units, strict=True):
        texts = _shown_texts(hit)
        holding = [n for n, text in enumerate(texts) if any(a in normalised(text) for a in answers)]
        if ids.of_page(hit.page_id, hit.source_id, hit.url):
            if holding:
                gold.append((shown_document(hit.title, texts[holding[0]]), of_hit[holding[0]]))
        elif not holding:
            others.append((shown_document(hit.title, texts[0]), of_hit[0]))
    gold = gold[:_MAX_GOLD]
    others = others[: documents - len(gold)]
    if not gold or len(gold) + len(others) < documents:
        return None
    shown = [*gold, *others]
    held = [answer for said, answer in answers.items() if said in normalised(gold[0][0])]
    order = np.random.default_rng(seed).permutation(documents)
    features = list_features(found.query, np.stack([shown[n][1] for n in order]))
    return ShownExample(
        question.text,
        (*held, *(answer for answer in answers.values() if answer not in held)),
        tuple(shown[n][0] for n in order),
        RankedExample(features, order < len(gold)),
    )


def _shown_texts(hit: Hit) -> list[str]:
    """The texts of a hit's units, or of its segment if it has none."""
    return [unit.text[:_MAX_CHARACTERS] for unit in hit.units] or [hit.text[:_MAX_CHARACTERS]]
