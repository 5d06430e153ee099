"""The span scorer: how likely each span of a segment answers a question, and that none does.

question, title, segment -> tokens -> span model -> log-odds of spans against no answer

    packaged/card.json           what it was tuned from and on
             model.safetensors   tuned layers in 8 bits, a scale for each row

`tests/benchmarks/train_span_scorer.py` trains it; it needs the encoder that it was tuned from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
from safetensors.numpy import save

from factmill.models.answering.answer_candidates import Source
from factmill.models.answering.span_models.eight_bits import in_eight_bits
from factmill.models.answering.span_models.learned_extraction import ExtractionInput
from factmill.models.answering.span_models.span_model import (
    CARD,
    WEIGHTS,
    SpanCard,
    SpanModel,
    SpanScores,
)
from factmill.models.answering.span_scoring.row_answers import ScoredRows, tables_to_score
from factmill.models.answering.span_scoring.segment_input import (
    MAX_INPUT_TOKENS,
    segment_input,
    segments_to_score,
)
from factmill.models.answering.span_scoring.segment_log_odds import SegmentScores
from factmill.models.answering.words.asked_for import AskedFor
from factmill.models.arrays import Floats
from factmill.models.encoding.device import cores
from factmill.models.encoding.published_encoder import PublishedEncoder
from factmill.schemas.storage.paths import parse_storage_path

FOLDER = Path(__file__).with_name("packaged")
# Segments that are scored for a question, as many at once as there are cores: each takes 20 to
# 55 ms of one core.
SEGMENTS_SCORED = 5
# The same for tables: the lines of their rows take as long as a segment.
TABLES_SCORED = 2


class SpanScorer:
    """Scores the spans of segments, and the cells of rows of tables. Thread-safe."""

    def __init__(self, model: SpanModel) -> None:
        self._model = model
        self._tokenizer = model.encoder.new_tokenizer()
        self._threads = ThreadPoolExecutor(cores(), "factmill-scoring")

    def __call__(self, asked: AskedFor, sources: Sequence[Source]) -> dict[int, SegmentScores]:
        """What the model says of the best segments, by their numbers. Raises CorruptStore."""
        numbers = segments_to_score(asked, sources, SEGMENTS_SCORED)
        return self._scores(asked, sources, {number: sources[number].text for number in numbers})

    def rows(self, asked: AskedFor, sources: Sequence[Source]) -> dict[int, ScoredRows]:
        """What the model says of the best rows of tables, by the numbers of the tables. Raises
        CorruptStore."""
        lines = tables_to_score(asked, sources, TABLES_SCORED)
        scores = self._scores(asked, sources, {number: one.text for number, one in lines.items()})
        return {number: ScoredRows(one, scores[number]) for number, one in lines.items()}

    def _scores(
        self, asked: AskedFor, sources: Sequence[Source], texts: Mapping[int, str]
    ) -> dict[int, SegmentScores]:
        """What the model says of texts of some sources, as many at once as there are cores."""

        def of_one(number: int) -> SegmentScores:
            return self.score(asked.text, sources[number].title, texts[number])

        return dict(zip(texts, self._threads.map(of_one, texts), strict=True))

    def score(self, question: str, title: str, text: str) -> SegmentScores:
        """What the model says of a segment. Raises CorruptStore."""
        longest = min(MAX_INPUT_TOKENS, self._model.longest)
        given = segment_input(self._tokenizer, question, title, text, longest)
        return scores_of_input(given, self._model(given.tokens))


def packaged_scorer(encoder: PublishedEncoder) -> SpanScorer | None:
    """The scorer of the package; None for another encoder than it was tuned from."""
    model = scorer_model(encoder)
    return SpanScorer(model) if model else None


def scorer_model(encoder: PublishedEncoder) -> SpanModel | None:
    """The span model of the packaged scorer; None for another encoder than it was tuned from."""
    if not (FOLDER / CARD).is_file():
        return None
    model = SpanModel(parse_storage_path(str(FOLDER)), encoder)
    return model if model.card.encoder == encoder.fingerprint else None


def scores_of_input(given: ExtractionInput, scores: SpanScores) -> SegmentScores:
    """The scores of the tokens of a segment's text, against those of the first token."""
    rows = np.array(given.rows, dtype=np.int64)
    return SegmentScores(
        tuple(given.offsets),
        scores.start[rows] - scores.start[0],
        scores.end[rows] - scores.end[0],
    )


def write_scorer(
    folder: Path,
    card: SpanCard,
    weights: Mapping[str, Floats],
    encoder: PublishedEncoder,
    held_out: Mapping[str, float] | None = None,
) -> SpanModel:
    """Write the weights in 8 bits, and the card with its figures."""
    (folder / WEIGHTS).write_bytes(save(in_eight_bits(weights)))
    card = replace(card, held_out=dict(held_out or {}))
    (folder / CARD).write_text(card.to_json(), encoding="utf-8")
    return SpanModel(parse_storage_path(str(folder)), encoder)
