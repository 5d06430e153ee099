"""An extractor that was trained: the span of what was found that answers a question.

    question, segments with their units -> lines to read -> span model
        -> -log P(first token) - log P(last token), least first; token 0 stands for no answer

It takes and gives what the rules of `answer_extraction.py` take and give.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from tokenizers import Tokenizer

from factmill.models.answering.answer_candidates import Candidate, Source, best_of_each
from factmill.models.answering.sentences.page_orders import order_spans, overlaps
from factmill.models.answering.sentences.sentence_spans import sentence_spans
from factmill.models.answering.span_models.span_model import SpanModel, SpanScores
from factmill.models.answering.words.content_words import stem_set
from factmill.models.arrays import Floats
from factmill.models.encoding.bert import TokenIds
from factmill.models.text.span import Span

NAME = "span_extractor"
# The maximum number of tokens read: the question and lines of the best units. A token takes about a
# millisecond of one core.
TOKENS_READ = 160
_MAX_LINES = 8
_MAX_SPAN_TOKENS = 30
_MAX_CANDIDATES = 5
_MAX_CHARACTERS = 1000


class Line(NamedTuple):
    """Text that is read. An answer may stand in `sources[source].text[start:]`, which is what
    follows the first `heading` characters: the title, or the question of a pair."""

    text: str
    heading: int
    source: int
    start: int


@dataclass(frozen=True, slots=True)
class ExtractionInput:
    """What the model reads: tokens of a question and a context, the token rows of the context, and
    start and end of each of these in it."""

    tokens: TokenIds
    rows: list[int]
    offsets: list[Span]


class Extraction(NamedTuple):
    """A span of the context with its probability."""

    start: int
    end: int
    probability: float


def extraction_input(
    tokenizer: Tokenizer, question: str, context: str, longest: int
) -> ExtractionInput:
    """The context is cut where the model reads no further."""
    found = tokenizer.encode(question, context)
    rows = [row for row, part in enumerate(found.sequence_ids) if part == 1 and row < longest]
    tokens = np.array(found.ids[:longest], dtype=np.int64)
    return ExtractionInput(tokens, rows, [found.offsets[row] for row in rows])


def best_spans(
    scores: SpanScores,
    model_input: ExtractionInput,
    allowed: Sequence[int],
    most: int,
    answered: bool = False,
) -> tuple[list[Extraction], float]:
    """The likeliest spans, and the probability of no answer, which is 0 where the context is
    `answered`, known to hold one. `allowed` numbers for each token of the context the part that it
    belongs to, -1 for where no answer stands; no span is in two."""
    parts = np.asarray(allowed)
    usable = np.flatnonzero(parts >= 0)
    rows = np.array([0, *(model_input.rows[n] for n in usable)], dtype=np.int64)
    start_scores, end_scores = scores.start[rows], scores.end[rows]
    if answered and usable.size:
        start_scores[0] = end_scores[0] = -np.inf
    starts, ends = _probabilities(start_scores), _probabilities(end_scores)
    joint = starts[1:, None] * ends[None, 1:]
    apart = usable[None, :] - usable[:, None]
    same = parts[usable][:, None] == parts[usable][None, :]
    joint[(apart < 0) | (apart >= _MAX_SPAN_TOKENS) | ~same] = 0.0
    order = np.argsort(-joint, axis=None, kind="stable")[:most]
    found = []
    for first, last in zip(*np.unravel_index(order, joint.shape), strict=True):
        if joint[first, last] > 0:
            start, end = model_input.offsets[usable[first]][0], model_input.offsets[usable[last]][1]
            found.append(Extraction(start, end, float(joint[first, last])))
    return found, float(starts[0] * ends[0])


class LearnedExtractor:
    """Extracts answers. Thread-safe."""

    def __init__(self, model: SpanModel) -> None:
        self._model = model
        self._tokenizer = model.encoder.new_tokenizer()

    def __call__(self, question: str, sources: Sequence[Source]) -> list[Candidate]:
        """Candidates for the answer, best first, each answer once; their scores are probabilities.
        Raises CorruptStore."""
        lines = lines_to_read(question, sources)
        if not lines:
            return []
        context, starts = "", []
        for line in lines:
            starts.append(len(context))
            context += line.text + "\n"
        longest = min(TOKENS_READ, self._model.longest)
        asked = question[:_MAX_CHARACTERS]
        model_input = extraction_input(self._tokenizer, asked, context, longest)
        allowed = [_line_of(span, lines, starts) for span in model_input.offsets]
        if max(allowed, default=-1) < 0:
            return []
        spans, _ = best_spans(
            self._model(model_input.tokens), model_input, allowed, _MAX_CANDIDATES
        )
        return best_of_each(_candidates(spans, lines, starts, sources))

    def answer(self, question: str, context: str) -> tuple[str, float, float]:
        """The likeliest span of a context, within one line, its probability, and that of no answer.
        Raises CorruptStore."""
        model_input = extraction_input(self._tokenizer, question, context, self._model.longest)
        return best_answer(context, model_input, self._model(model_input.tokens))


def best_answer(
    context: str, model_input: ExtractionInput, scores: SpanScores, answered: bool = False
) -> tuple[str, float, float]:
    """The likeliest span of a context, within one line, its probability, and that of no answer,
    which is 0 where the context is known to be `answered`."""
    allowed = lines_that_answer(context, model_input.offsets)
    spans, nothing = best_spans(scores, model_input, allowed, 1, answered)
    if not spans:
        return "", 0.0, nothing
    return context[spans[0].start : spans[0].end], spans[0].probability, nothing


def lines_that_answer(context: str, spans: Sequence[Span]) -> list[int]:
    """The number of the line that each span is in; -1 in a line that is a question, which states
    nothing, unless all of them are."""
    lines = context.split("\n")
    numbers = [context.count("\n", 0, start) for start, _ in spans]
    stated = [-1 if lines[number].rstrip().endswith("?") else number for number in numbers]
    return stated if max(stated, default=-1) >= 0 else numbers


def lines_to_read(question: str, sources: Sequence[Source]) -> list[Line]:
    """What the best units of all sources stand in, best first: sentences, each once, behind the
    question of a pair or the title of the page. Where a source has no units, its sentences that
    share most words with the question. Sentences that give orders are left out."""
    found: dict[tuple[int, int], tuple[float, Line]] = {}
    asked = stem_set(question)
    for number, source in enumerate(sources):
        orders = order_spans(source.text)
        for (start, end), score, heading in _parts(asked, source):
            if (number, start) not in found and not overlaps(start, end, orders):
                line = _line(source, number, start, end, heading)
                found[number, start] = (score + source.score, line)
    best = sorted(found.values(), key=lambda scored: -scored[0])
    return [line for _, line in best[:_MAX_LINES]]


def _parts(asked: frozenset[str], source: Source) -> Iterator[tuple[Span, float, str]]:
    """Sentences with a score and what is read before them."""
    sentences = list(sentence_spans(source.text))
    for unit in sorted(source.units, key=lambda unit: -unit.score):
        there = [span for span in sentences if span[0] < unit.end and unit.start < span[1]]
        if there:
            span = (there[0][0], there[-1][1])
            yield span, unit.score, unit.text if unit.is_pair else source.title
    if not source.units:
        for start, end in sentences:
            shared = len(asked & stem_set(source.text[start:end]))
            yield (start, end), shared / max(1, len(asked)), source.title


def _line(source: Source, number: int, start: int, end: int, heading: str) -> Line:
    text = source.text[start:end]
    before = "" if not heading or heading.lower() in text.lower() else f"{heading}\n"
    return Line(before + text, len(before), number, start)


def _line_of(span: Span, lines: Sequence[Line], starts: Sequence[int]) -> int:
    """The number of the line whose answers a token may be of, -1 for none."""
    number = int(np.searchsorted(np.asarray(starts), span[0], side="right")) - 1
    return number if span[0] >= starts[number] + lines[number].heading else -1


def _candidates(
    spans: Iterable[Extraction],
    lines: Sequence[Line],
    starts: Sequence[int],
    sources: Sequence[Source],
) -> Iterator[Candidate]:
    for span in spans:
        number = _line_of((span.start, span.end), lines, starts)
        line = lines[number]
        offset = line.start - starts[number] - line.heading
        first, last = span.start + offset, span.end + offset
        text = sources[line.source].text[first:last]
        yield Candidate(text, span.probability, line.source, first, last)


def _probabilities(scores: Floats) -> Floats:
    shares = np.exp(scores - scores.max())
    found: Floats = shares / shares.sum()
    return found
