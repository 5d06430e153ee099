from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from factmill.models.answering.answer_candidates import Source, SourceUnit
from factmill.models.answering.span_models.span_model import SpanCard, SpanModel
from factmill.models.answering.span_scoring import span_scorer
from factmill.models.answering.span_scoring.span_scorer import (
    SpanScorer,
    packaged_scorer,
    write_scorer,
)
from factmill.models.answering.words.asked_for import asked_for
from factmill.models.encoding.packaged_encoder import packaged_encoder
from factmill.models.encoding.published_encoder import PublishedEncoder
from tests.models.answering.tiny_span_model import random_weights

TEXT = "the bridge is built in 1901 ."


@pytest.fixture(scope="module")
def model(encoder: PublishedEncoder, tmp_path_factory: pytest.TempPathFactory) -> SpanModel:
    folder = tmp_path_factory.mktemp("scorer")
    card = SpanCard(encoder.fingerprint, encoder.bert.shape.layers, [], {}, {}, [])
    return write_scorer(folder, card, random_weights(encoder, 0), encoder, {"f1": 0.5})


def test_scores_are_those_of_the_model_against_no_answer(model: SpanModel) -> None:
    found = SpanScorer(model).score("when is it built ?", "", TEXT)
    tokens = model.encoder.new_tokenizer().encode("when is it built ?", "\n" + TEXT)
    scores = model(np.array(tokens.ids, dtype=np.int64))
    row = tokens.tokens.index("1901")
    start = TEXT.index("1901")

    expected = scores.start[row] - scores.start[0] + scores.end[row] - scores.end[0]
    assert found.odds(start, start + 4) == pytest.approx(float(expected), abs=1e-4)


def test_the_card_has_the_figures(model: SpanModel) -> None:
    assert model.card.held_out == {"f1": 0.5}


def test_only_the_given_number_of_segments_is_read(model: SpanModel) -> None:
    sources = [
        Source(text, "bridge", 0.5, (SourceUnit(0, len(text), text, 0.5, False),))
        for text in (f"the bridge is built in {year} ." for year in range(1900, 1920))
    ]
    found = SpanScorer(model)(asked_for("When was the bridge built?"), sources)

    assert len(found) == span_scorer.SEGMENTS_SCORED
    assert all(0.0 <= one.answers <= 1.0 for one in found.values())


def test_rows_of_tables_are_read_as_lines(model: SpanModel) -> None:
    text = "the bridge\n| built | museum |\n| --- | --- |\n| 1901 | Ida |"
    sources = [Source(TEXT, "bridge", 0.5), Source(text, "bridge", 0.5)]

    found = SpanScorer(model).rows(asked_for("When was the bridge built?"), sources)

    assert list(found) == [1]
    year = next(one for one in found[1].lines.cells if text[slice(*one.of_table)] == "1901")
    assert found[1].scores.odds(year.start, year.end) is not None


def test_another_encoder_has_no_packaged_scorer(encoder: PublishedEncoder) -> None:
    assert packaged_scorer(encoder) is None


def test_the_packaged_scorer_finds_what_other_words_ask_for() -> None:
    encoder = packaged_encoder()
    assert encoder is not None
    scorer = packaged_scorer(encoder)
    assert scorer is not None
    text = "The lifeboat has been under coxswain Bethan Rourke since 2016. It is 13 m long."

    found = scorer.score("Who is in command of the boat nowadays?", "Lifeboat", text)
    best = found.likeliest
    assert "Bethan Rourke" in text[best.start : best.end]
    assert found.answers > scorer.score("Who painted the Mona Lisa?", "Lifeboat", text).answers


def test_the_packaged_scorer_is_a_few_megabytes() -> None:
    size = sum(file.stat().st_size for file in Path(span_scorer.FOLDER).iterdir())

    assert size < 12_000_000
