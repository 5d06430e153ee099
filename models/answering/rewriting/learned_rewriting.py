"""A trained rewriter: finds the words of a question that stand for an answer, and replaces them.

    question, answer -> span model -> the likeliest edit (question_edits.py) -> rewritten question

The model only chooses words of the question and a form that many examples share. So every name in
the rewritten question comes from the question or the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from tokenizers import Encoding, Tokenizer

from factmill.models.answering.rewriting.question_edits import QuestionEdit, edited, word_spans
from factmill.models.answering.span_models.span_model import SpanModel
from factmill.models.arrays import Floats
from factmill.models.encoding.bert import TokenIds

NAME = "rewriter"
_MAX_CHARACTERS = 1000


@dataclass(frozen=True, slots=True)
class RewritingInput:
    """The input of the model: the tokens of a question and its answer. `boundaries` has the first
    token of each word of the question, then the token that ends the question.
    """

    tokens: TokenIds
    boundaries: list[int]


def rewriting_input(
    tokenizer: Tokenizer, question: str, answer: str, longest: int
) -> RewritingInput | None:
    """The input for a question and its answer. Returns None if both have more than `longest`
    tokens, or if the question has no words.
    """
    encoding = tokenizer.encode(question, answer)
    boundaries = _boundaries(encoding, [start for start, _ in word_spans(question)])
    if len(encoding.ids) > longest or len(boundaries) < 2:
        return None
    return RewritingInput(np.array(encoding.ids, dtype=np.int64), boundaries)


class LearnedRewriter:
    """Puts answers into questions. Thread-safe."""

    def __init__(self, model: SpanModel) -> None:
        self._model = model
        self._tokenizer = model.encoder.new_tokenizer()

    def __call__(self, question: str, answer: str) -> str:
        """The question with the answer in place of the words that stand for it. Where the two are
        too long together, the question stays unchanged. Raises CorruptStore.
        """
        if len(question) > _MAX_CHARACTERS or len(answer) > _MAX_CHARACTERS:
            return question
        model_input = rewriting_input(self._tokenizer, question, answer, self._model.longest)
        if model_input is None:
            return question
        first, end, form = likeliest(*self._model(model_input.tokens).joint(model_input.boundaries))
        return edited(question, answer, QuestionEdit(first, end, self._model.card.labels[form]))


def likeliest(spans: Floats, labels: Floats) -> tuple[int, int, int]:
    """First word, end and label of the most probable edit; `first == end` if it replaces nothing.
    `spans` has shape (words + 1, words + 1), `labels` (words + 1, words + 1, labels).
    """
    joint = spans + _log_softmax(labels).max(axis=-1)
    joint[np.tril_indices(len(spans), -1)] = -np.inf
    first, end = np.unravel_index(int(joint.argmax()), joint.shape)
    return int(first), int(end), int(labels[first, end].argmax())


def _log_softmax(scores: Floats) -> Floats:
    centred = scores - scores.max(axis=-1, keepdims=True)
    logarithms: Floats = centred - np.log(np.exp(centred).sum(axis=-1, keepdims=True))
    return logarithms


def _boundaries(encoding: Encoding, starts: Sequence[int]) -> list[int]:
    """The first token of each word of the question, then the token after its last one. A word that
    has no token of its own gets the next one. `starts` are the words' first characters.
    """
    of_question = [row for row, part in enumerate(encoding.sequence_ids) if part == 0]
    if not of_question:
        return []
    boundaries, row = [], of_question[0]
    for start in starts:
        while row < of_question[-1] and encoding.offsets[row][1] <= start:
            row += 1
        boundaries.append(row)
    return [*boundaries, of_question[-1] + 1]
