"""What the span scorer takes for a question: which segments, and the tokens of one.

    sources -> those with the best sentences and pages -> question, title, segment -> tokens

The same input is made for training and for answers.
"""

from __future__ import annotations

from collections.abc import Sequence

from tokenizers import Tokenizer

from factmill.models.answering.answer_candidates import Source
from factmill.models.answering.sentences.matched_sentences import best_sentences
from factmill.models.answering.sentences.page_orders import order_spans, overlaps
from factmill.models.answering.span_models.learned_extraction import (
    ExtractionInput,
    extraction_input,
)
from factmill.models.answering.words.asked_for import AskedFor

# Tokens of a question with its title and segment.
MAX_INPUT_TOKENS = 160
_MAX_CHARACTERS, _TITLE_CHARACTERS = 300, 100
# Each rank in the order of search costs so much, so that what search found first is scored even
# where it uses other words.
_RANK = 0.03
# What a similarity of 1 counts, so that of segments with words of the question the one is scored
# that means the same.
_SIMILAR = 3.0


def segments_to_score(asked: AskedFor, sources: Sequence[Source], most: int) -> list[int]:
    """The numbers of the sources to score, best first: by their sentence that fits the question
    best, by their page, by their similarity to the question, and by the order of search. Tables are
    left out, and what shares no word with the question."""
    fits: dict[int, float] = {}
    for matched in best_sentences(asked, sources, sum(len(one.text) for one in sources)):
        fits.setdefault(matched.source, matched.fit)
    worth = {
        number: fit + sources[number].score + _SIMILAR * sources[number].similarity - _RANK * number
        for number, fit in fits.items()
    }
    return sorted(worth, key=lambda number: -worth[number])[:most]


def segment_input(
    tokenizer: Tokenizer, question: str, title: str, text: str, longest: int = MAX_INPUT_TOKENS
) -> ExtractionInput:
    """Tokens of a question, and of the title and the text of a segment. Rows and offsets are those
    of the text, without sentences that give orders."""
    heading = f"{title[:_TITLE_CHARACTERS]}\n"
    whole = extraction_input(tokenizer, question[:_MAX_CHARACTERS], heading + text, longest)
    orders = order_spans(text)
    kept = []
    for row, (first, last) in zip(whole.rows, whole.offsets, strict=True):
        start, end = first - len(heading), last - len(heading)
        if start >= 0 and not overlaps(start, end, orders):
            kept.append((row, (start, end)))
    return ExtractionInput(whole.tokens, [row for row, _ in kept], [span for _, span in kept])
