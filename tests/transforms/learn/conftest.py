from __future__ import annotations

import json
from pathlib import Path

import pytest

from factmill.models.answering.rewriting.rewriting_training import REWRITING
from factmill.models.answering.span_models.extraction_training import EXTRACTION
from factmill.models.answering.span_models.span_examples import SpanTraining
from factmill.models.encoding.published_encoder import PublishedEncoder
from factmill.transforms.learn import learn_answer_models as learning
from tests.models.answering.tiny_span_model import published_tiny_encoder
from tests.transforms.learn.trained_for_a_moment import READ, ROW, with_steps


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> PublishedEncoder:
    return published_tiny_encoder(tmp_path_factory.mktemp("encoder"))


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Examples of both models, which are trained for a moment only."""
    short = SpanTraining(tuned_layers=1, epochs=1)
    trainers = tuple(with_steps(one, short) for one in (EXTRACTION, REWRITING))
    monkeypatch.setattr(learning, "TRAINERS", trainers)
    (tmp_path / "read.json").write_text(json.dumps([READ] * 20))
    (tmp_path / "rewrite.jsonl").write_text("\n".join([json.dumps(ROW)] * 20))
    return {
        "span_extractor": str(tmp_path / "read.json"),
        "rewriter": str(tmp_path / "rewrite.jsonl"),
    }
