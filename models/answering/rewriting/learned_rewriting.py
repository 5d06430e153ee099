"""A rewriter that was trained: which words of a question stand for an answer, and how the answer
comes in their place.

    question, answer -> span model -> the likeliest edit (question_edits.py) -> rewritten question

The words come from the question and the answer, and from forms that many examples need, so that the
names in the rewritten question are those of the answer and no others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from tokenizers import Encoding, Tokenizer

from factmill.models.answering.rewriting.question_edits import QuestionEdit, edited, word_spans
from factmill.models.answering.span_models.span_model import SpanModel
from factmill.models.encoding.batching import Floats
from factmill.models.encoding.bert import TokenIds

NAME = "rewriter"
_MOST_CHARACTERS = 1000


@dataclass(frozen=True, slots=True)
class RewritingInput:
    """What the model reads: the tokens of a question and an answer, and for each word of the
    question its first token, after these the mark that ends the question."""

    tokens: TokenIds
    boundaries: list[int]


def rewriting_input(
    tokenizer: Tokenizer, question: str, answer: str, longest: int
) -> RewritingInput | None:
    """None for a question and answer that are too long, or a question without words."""
    found = tokenizer.encode(question, answer)
    boundaries = _boundaries(found, [start for start, _ in word_spans(question)])
    if len(found.ids) > longest or len(boundaries) < 2:
        return None
    return RewritingInput(np.array(found.ids, dtype=np.int64), boundaries)


class LearnedRewriter:
    """Puts answers into questions. Thread-safe."""

    def __init__(self, model: SpanModel) -> None:
        self._model = model
        self._tokenizer = model.encoder.new_tokenizer()

    def __call__(self, question: str, answer: str) -> str:
        """The question with the words replaced that stand for the answer; as it is where it is too
        long. Raises CorruptStore."""
        question, answer = question[:_MOST_CHARACTERS], answer[:_MOST_CHARACTERS]
        read = rewriting_input(self._tokenizer, question, answer, self._model.longest)
        if read is None:
            return question
        first, end, form = likeliest(*self._model(read.tokens).joint(read.boundaries))
        return edited(question, answer, QuestionEdit(first, end, self._model.card.labels[form]))


def likeliest(spans: Floats, labels: Floats) -> tuple[int, int, int]:
    """First word, end and label of the edit with the greatest probability; shapes (words + 1,
    words + 1) and (words + 1, words + 1, labels). An edit that replaces nothing has
    `first == end`."""
    joint = spans + _log_softmax(labels).max(axis=-1)
    joint[np.tril_indices(len(spans), -1)] = -np.inf
    first, end = np.unravel_index(int(joint.argmax()), joint.shape)
    return int(first), int(end), int(labels[first, end].argmax())


def _log_softmax(scores: Floats) -> Floats:
    centred = scores - scores.max(axis=-1, keepdims=True)
    found: Floats = centred - np.log(np.exp(centred).sum(axis=-1, keepdims=True))
    return found


def _boundaries(found: Encoding, starts: Sequence[int]) -> list[int]:
    """The first token of each word, then the token after the question's last one. A word without a
    token of its own has the one after it."""
    of_question = [row for row, part in enumerate(found.sequence_ids) if part == 0]
    if not of_question:
        return []
    boundaries, row = [], of_question[0]
    for start in starts:
        while row < of_question[-1] and found.offsets[row][1] <= start:
            row += 1
        boundaries.append(row)
    return [*boundaries, of_question[-1] + 1]
