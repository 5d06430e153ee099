"""Training data of the rewriter: a question, an earlier answer, and the question rewritten with it.

A file is a JSON list, or has one JSON object a line. An object is `{"question", "answer",
"rewritten"}`, or CompactRAG's own `{"input": "Q: ... | prev_answer: ...", "output": ...}`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tokenizers import Tokenizer

from factmill.models.answering.rewriting.learned_rewriting import (
    NAME,
    LearnedRewriter,
    rewriting_input,
)
from factmill.models.answering.rewriting.question_edits import common_forms, edit_between
from factmill.models.answering.span_models.span_examples import SpanExample, SpanTraining
from factmill.models.answering.span_models.span_model import SpanModel
from factmill.models.answering.span_models.span_trainer import SpanTrainer, TrainingStep
from factmill.models.answering.words.answer_words import same_answer

# The least number of uses of a form, and the largest number of forms.
_MIN_USES, _MAX_FORMS = 4, 64
_INPUT = re.compile(r"Q:\s*(.*?)\s*\|\s*prev_answer:\s*(.*)", re.DOTALL)


class Rewriting(NamedTuple):
    """`rewritten` is the question with the answer put in."""

    question: str
    answer: str
    rewritten: str


def read_rewriting(row: Mapping[str, Any]) -> Rewriting | None:
    """The example in an object of a file; None if the object has neither format."""
    question, answer, rewritten = (row.get(name) for name in ("question", "answer", "rewritten"))
    if isinstance(row.get("input"), str):
        match = _INPUT.fullmatch(row["input"])
        question, answer = match.groups() if match else (None, None)
        rewritten = row.get("output")
    texts = [text.strip() for text in (question, answer, rewritten) if isinstance(text, str)]
    return Rewriting(*texts) if len(texts) == 3 and all(texts) else None


def rewriting_examples(
    rows: Sequence[Rewriting], tokenizer: Tokenizer, longest: int
) -> tuple[list[SpanExample], list[str]]:
    """Examples for the span model, and the common forms. Rows that need several edits, a rare form
    or more than `longest` tokens are left out.
    """
    edits = [edit_between(*row) for row in rows]
    forms = common_forms((edit for edit in edits if edit), _MAX_FORMS, _MIN_USES)
    number = {form: n for n, form in enumerate(forms)}
    examples = []
    for row, edit in zip(rows, edits, strict=True):
        model_input = rewriting_input(tokenizer, row.question, row.answer, longest)
        if edit is None or edit.form not in number or model_input is None:
            continue
        allowed = [False] * len(model_input.tokens)
        for boundary in model_input.boundaries:
            allowed[boundary] = True
        start, end = model_input.boundaries[edit.first], model_input.boundaries[edit.end]
        examples.append(
            SpanExample(model_input.tokens.tolist(), allowed, start, end, number[edit.form])
        )
    return examples, forms


def rewriting_figures(model: SpanModel, rows: Sequence[Rewriting]) -> dict[str, float]:
    """How often the model rewrites a question as given: `identical` is the share without any
    difference, `exact_match` the share if case, punctuation and articles are ignored.
    """
    rewriter = LearnedRewriter(model)
    pairs = [(rewriter(row.question, row.answer), row.rewritten) for row in rows]
    count = max(1, len(pairs))
    return {
        "examples": float(len(pairs)),
        "identical": sum(made == wanted for made, wanted in pairs) / count,
        "exact_match": sum(same_answer(made, wanted) for made, wanted in pairs) / count,
    }


REWRITING = SpanTrainer(
    NAME,
    "--train-rewriter",
    read_rewriting,
    rewriting_figures,
    (
        TrainingStep(
            rewriting_examples,
            SpanTraining(tuned_layers=6, epochs=3, learning_rate=1.3e-4, paired=48),
        ),
    ),
)
