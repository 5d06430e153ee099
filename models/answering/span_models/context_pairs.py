"""More examples of an extractor from the contexts that it was given, when these are QA pairs.

    contexts of blocks "question, line break, answer" -> an extractor that was trained answers each
    question from its own block -> sure answers -> examples; most of their blocks lose the question

What is easy with the question beside its answer becomes an example without it: an extractor has
thousands of such questions for each one that somebody annotated. (Self-training; the labels are
those of the extractor itself.)
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

from factmill.models.answering.span_models.extracted import BLOCKS, Extracted
from factmill.models.answering.span_models.learned_extraction import best_answer, extraction_input
from factmill.models.answering.span_models.span_model import SpanModel

_MAX_ASKED = 14_000
# An answer is sure from this probability on, given that the block has one. (To an extractor that
# was trained on several blocks, one alone looks like a context without an answer.)
_MIN_PROBABILITY = 0.6
_MAX_OTHERS = 2
# So many of the blocks lose their question.
_HIDDEN = 0.6
_SEED = 5


class ContextPair(NamedTuple):
    """A block of a context: its question, the line that answers it, all blocks, and its number."""

    question: str
    line: str
    blocks: tuple[str, ...]
    number: int


def with_own_pairs(model: SpanModel, rows: Sequence[Extracted]) -> list[Extracted]:
    """The rows, and examples of the pairs of their contexts. Raises CorruptStore."""
    shuffle = random.Random(_SEED)
    pairs = context_pairs(rows)
    asked = shuffle.sample(pairs, min(len(pairs), _MAX_ASKED))
    answers = zip(asked, sure_answers(model, asked), strict=True)
    return [*rows, *(without_questions(pair, text, shuffle) for pair, text in answers if text)]


def sure_answers(model: SpanModel, pairs: Sequence[ContextPair]) -> list[str]:
    """What the model marks in the line of each pair; nothing where it is not sure. Raises
    CorruptStore."""
    from factmill.models.answering.span_models.many_scores import scores_of_many

    tokenizer = model.encoder.new_tokenizer()
    blocks = [f"{pair.question}\n{pair.line}" for pair in pairs]
    inputs = [
        extraction_input(tokenizer, pair.question, block, model.longest)
        for pair, block in zip(pairs, blocks, strict=True)
    ]
    scores = scores_of_many(model, [model_input.tokens for model_input in inputs])
    found = []
    for pair, block, model_input, score in zip(pairs, blocks, inputs, scores, strict=True):
        text, probability, _ = best_answer(block, model_input, score, answered=True)
        found.append(text if text in pair.line and probability >= _MIN_PROBABILITY else "")
    return found


def context_pairs(rows: Sequence[Extracted]) -> list[ContextPair]:
    """The pairs of all contexts, each block once; not those that a row asks."""
    asked = {row.question.strip().lower() for row in rows}
    found: dict[str, ContextPair] = {}
    for row in rows:
        blocks = tuple(row.context.split(BLOCKS))
        for number, block in enumerate(blocks):
            question, _, line = block.partition("\n")
            is_new = block not in found and question.strip().lower() not in asked
            if line.strip() and question.rstrip().endswith("?") and is_new:
                found[block] = ContextPair(question, line, blocks, number)
    return list(found.values())


def without_questions(pair: ContextPair, answer: str, shuffle: random.Random) -> Extracted:
    """An example of the pair among other blocks, most of them without their questions."""
    others = [number for number in range(len(pair.blocks)) if number != pair.number]
    kept = {pair.number, *shuffle.sample(others, min(len(others), _MAX_OTHERS))}
    context, start = "", 0
    for number in sorted(kept):
        block = pair.blocks[number]
        line = block.partition("\n")[2]
        shown = line if line and shuffle.random() < _HIDDEN else block
        if number == pair.number:
            start = len(context) + len(shown) - len(line) + line.index(answer)
        context += shown + BLOCKS
    return Extracted(pair.question, context.removesuffix(BLOCKS), answer, start)
