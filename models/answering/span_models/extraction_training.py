"""Training data of the extractor: questions, contexts, and where the answers stand.

A file is a JSON list, or one object a line, of SQuAD's `{"question": ..., "context": ...,
"answers": {"text": [...], "answer_start": [...]}}`; no texts mean that there is no answer.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from tokenizers import Tokenizer

from factmill.models.answering.span_models.context_pairs import with_own_pairs
from factmill.models.answering.span_models.extracted import BLOCKS, Extracted
from factmill.models.answering.span_models.learned_extraction import (
    NAME,
    ExtractionInput,
    LearnedExtractor,
    extraction_input,
)
from factmill.models.answering.span_models.span_examples import SpanExample, SpanTraining
from factmill.models.answering.span_models.span_model import WEIGHTS, SpanModel
from factmill.models.answering.span_models.span_trainer import (
    Beginning,
    SpanTrainer,
    TrainingStep,
)
from factmill.models.answering.span_scoring.span_scorer import FOLDER, scorer_model
from factmill.models.answering.words.answer_words import answer_f1, holds_answer, same_answer

# The share of contexts in blocks that keep all blocks, before the last step (few, which takes less
# time) and in it (most, because an extractor is given whole contexts); and the share that lose the
# block with the answer.
_WHOLE_SHARE, _LAST_WHOLE_SHARE, _EMPTY_SHARE = 0.15, 0.6, 0.12
_ONLY_WHOLE_SHARE = 0.3
_MAX_OTHERS = 2
_SEED = 17


def read_extracted(row: Mapping[str, Any]) -> Extracted | None:
    """One example of a file; None for an object that is not an example."""
    question, context = row.get("question"), row.get("context")
    if not isinstance(question, str) or not isinstance(context, str) or not question.strip():
        return None
    try:
        texts, starts = row["answers"]["text"], row["answers"]["answer_start"]
        if not texts:
            return Extracted(question, context, "", 0)
        answer, start = texts[0], starts[0]
    except (TypeError, KeyError, IndexError):
        return None
    if not isinstance(answer, str) or type(start) is not int or not answer.strip():
        return None
    found = [match.start() for match in re.finditer(re.escape(answer), context, re.IGNORECASE)]
    nearest = min(found, key=lambda one: abs(one - start), default=-1)
    return Extracted(question, context, answer, nearest)


def with_fewer_blocks(
    row: Extracted, shuffle: random.Random, whole_share: float = _WHOLE_SHARE
) -> Extracted:
    """The example with a few of its context's blocks, drawn at random: the one that holds the
    answer and others, or others only; or, for `whole_share` of all examples, as it is. Shorter
    contexts are learned from in less time."""
    blocks = row.context.split(BLOCKS)
    if len(blocks) < 2 or not row.answer or row.start < 0 or shuffle.random() < whole_share:
        return row
    holder = row.context[: row.start].count(BLOCKS)
    others = [number for number in range(len(blocks)) if number != holder]
    kept = set(shuffle.sample(others, min(len(others), _MAX_OTHERS)))
    without = BLOCKS.join(blocks[number] for number in sorted(kept))
    if shuffle.random() < _EMPTY_SHARE and not holds_answer(without, row.answer):
        return Extracted(row.question, without, "", 0)
    before = sum(len(blocks[number]) + len(BLOCKS) for number in range(holder))
    kept_before = sum(len(blocks[number]) + len(BLOCKS) for number in kept if number < holder)
    context = BLOCKS.join(blocks[number] for number in sorted(kept | {holder}))
    return Extracted(row.question, context, row.answer, row.start - before + kept_before)


def extraction_examples(
    rows: Sequence[Extracted],
    tokenizer: Tokenizer,
    longest: int,
    whole_share: float = _WHOLE_SHARE,
) -> tuple[list[SpanExample], list[str]]:
    """Examples of those whose answer stands there and is not cut off; no labels. No answer is the
    first token."""
    shuffle = random.Random(_SEED)
    drawn = (with_fewer_blocks(row, shuffle, whole_share) for row in rows)
    found = (_example(row, tokenizer, longest) for row in drawn)
    return [example for example in found if example is not None], []


def _example(row: Extracted, tokenizer: Tokenizer, longest: int) -> SpanExample | None:
    if row.start < 0:
        return None
    model_input = extraction_input(tokenizer, row.question, row.context, longest)
    return answer_example(model_input, row.answer, row.start)


def answer_example(model_input: ExtractionInput, answer: str, begin: int) -> SpanExample | None:
    """An example of an answer that begins at this offset of the text that was read; None if it is
    cut off. Without an answer, the span is the first token."""
    start = end = 0
    if answer:
        stop = begin + len(answer)
        inside = [
            number
            for number, (first, last) in zip(model_input.rows, model_input.offsets, strict=True)
            if first < stop and begin < last
        ]
        if not inside:
            return None
        start, end = inside[0], inside[-1]
    allowed = [False] * len(model_input.tokens)
    for number in (0, *model_input.rows):
        allowed[number] = True
    return SpanExample(model_input.tokens.tolist(), allowed, start, end)


def extraction_figures(model: SpanModel, rows: Sequence[Extracted]) -> dict[str, float]:
    """F1 and exact match of the likeliest span where there is an answer, and the share of questions
    for which it is rightly less or more likely than no answer."""
    extractor = LearnedExtractor(model)
    f1 = exact = told = answered = 0.0
    for row in rows:
        text, probability, nothing = extractor.answer(row.question, row.context)
        told += (probability > nothing) == bool(row.answer)
        if row.answer:
            answered += 1
            f1 += answer_f1(text, row.answer)
            exact += same_answer(text, row.answer)
    return {
        "examples": float(len(rows)),
        "f1": f1 / max(1.0, answered),
        "exact_match": exact / max(1.0, answered),
        "answerable_told": told / max(1, len(rows)),
    }


EXTRACTION = SpanTrainer(
    NAME,
    "--train-extractor",
    read_extracted,
    extraction_figures,
    (
        TrainingStep(
            extraction_examples,
            # As many layers as the span scorer has tuned, from which it may begin.
            SpanTraining(tuned_layers=6, epochs=2, batch=12, learning_rate=1.5e-4),
        ),
        TrainingStep(
            extraction_examples,
            SpanTraining(
                tuned_layers=6, epochs=1, batch=12, learning_rate=1.2e-4, head_rate=3e-4,
                warm_up=0.08,
            ),
            with_own_pairs,
            drawn_anew=True,
        ),
        # Last, what was annotated alone: that says how long an answer is.
        TrainingStep(
            partial(extraction_examples, whole_share=_LAST_WHOLE_SHARE),
            SpanTraining(
                tuned_layers=6, epochs=2, batch=12, learning_rate=6e-5, head_rate=1.5e-4,
                warm_up=0.08,
            ),
            drawn_anew=True,
        ),
    ),
    # The span scorer has seen five times as many questions. Its name here is where it lay at first.
    Beginning("models/answering/reading/reader/model.safetensors", FOLDER / WEIGHTS, scorer_model),
)  # fmt: skip

# Over an encoder that --extractor-encoder names, which is larger and knows more language: one step,
# which takes as long as the three above, and finds more without examples that it labels itself.
NAMED_ENCODER_EXTRACTION = replace(
    EXTRACTION,
    beginning=None,
    steps=(
        TrainingStep(
            partial(extraction_examples, whole_share=_ONLY_WHOLE_SHARE),
            SpanTraining(
                tuned_layers=8, epochs=2, batch=12, learning_rate=6e-5, head_rate=3e-4,
                warm_up=0.08,
            ),
            drawn_anew=True,
        ),
    ),
)  # fmt: skip
