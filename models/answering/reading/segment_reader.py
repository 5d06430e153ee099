"""The reader of segments: how likely each span of a segment answers a question, and that none does.

question, title, segment -> tokens -> span model -> log-odds of spans against no answer

    reader/card.json           what it was tuned from and on
           model.safetensors   tuned layers in 8 bits, a scale for each row

`tests/benchmarks/train_segment_reader.py` trains it; it needs the encoder that it was tuned from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
from safetensors.numpy import save

from factmill.models.answering.answer_candidates import Source
from factmill.models.answering.reading.row_answers import ReadRows, tables_to_read
from factmill.models.answering.reading.segment_input import (
    MAX_INPUT_TOKENS,
    segment_input,
    segments_to_read,
)
from factmill.models.answering.reading.segment_log_odds import SegmentScores
from factmill.models.answering.span_models.eight_bits import in_eight_bits
from factmill.models.answering.span_models.learned_extraction import ExtractionInput
from factmill.models.answering.span_models.span_model import (
    CARD,
    WEIGHTS,
    SpanCard,
    SpanModel,
    SpanScores,
)
from factmill.models.answering.words.asked_for import AskedFor
from factmill.models.arrays import Floats
from factmill.models.encoding.device import cores
from factmill.models.encoding.published_encoder import PublishedEncoder
from factmill.schemas.storage.paths import parse_storage_path

FOLDER = Path(__file__).with_name("reader")
# Segments that are read for a question, as many at once as there are cores: each takes 20 to 55 ms
# of one core.
SEGMENTS_READ = 5
# The same for tables: the lines of their rows take as long as a segment.
TABLES_READ = 2


class SegmentReader:
    """Reads segments, and rows of tables. Thread-safe."""

    def __init__(self, model: SpanModel) -> None:
        self._model = model
        self._tokenizer = model.encoder.new_tokenizer()
        self._threads = ThreadPoolExecutor(cores(), "factmill-reading")

    def __call__(self, asked: AskedFor, sources: Sequence[Source]) -> dict[int, SegmentScores]:
        """What the model says of the best segments, by their numbers. Raises CorruptStore."""
        numbers = segments_to_read(asked, sources, SEGMENTS_READ)
        return self._read(asked, sources, {number: sources[number].text for number in numbers})

    def rows(self, asked: AskedFor, sources: Sequence[Source]) -> dict[int, ReadRows]:
        """What the model says of the best rows of tables, by the numbers of the tables. Raises
        CorruptStore."""
        lines = tables_to_read(asked, sources, TABLES_READ)
        scores = self._read(asked, sources, {number: one.text for number, one in lines.items()})
        return {number: ReadRows(one, scores[number]) for number, one in lines.items()}

    def _read(
        self, asked: AskedFor, sources: Sequence[Source], texts: Mapping[int, str]
    ) -> dict[int, SegmentScores]:
        """What the model says of texts of some sources, as many at once as there are cores."""

        def of_one(number: int) -> SegmentScores:
            return self.read(asked.text, sources[number].title, texts[number])

        return dict(zip(texts, self._threads.map(of_one, texts), strict=True))

    def read(self, question: str, title: str, text: str) -> SegmentScores:
        """What the model says of a segment. Raises CorruptStore."""
        longest = min(MAX_INPUT_TOKENS, self._model.longest)
        read = segment_input(self._tokenizer, question, title, text, longest)
        return scores_of_read(read, self._model(read.tokens))


def packaged_reader(encoder: PublishedEncoder) -> SegmentReader | None:
    """The reader of the package; None for another encoder than it was tuned from."""
    model = reader_model(encoder)
    return SegmentReader(model) if model else None


def reader_model(encoder: PublishedEncoder) -> SpanModel | None:
    """The span model of the packaged reader; None for another encoder than it was tuned from."""
    if not (FOLDER / CARD).is_file():
        return None
    model = SpanModel(parse_storage_path(str(FOLDER)), encoder)
    return model if model.card.encoder == encoder.fingerprint else None


def scores_of_read(read: ExtractionInput, scores: SpanScores) -> SegmentScores:
    """The scores of the tokens of a segment's text, against those of the first token."""
    rows = np.array(read.rows, dtype=np.int64)
    return SegmentScores(
        tuple(read.offsets),
        scores.start[rows] - scores.start[0],
        scores.end[rows] - scores.end[0],
    )


def write_reader(
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
