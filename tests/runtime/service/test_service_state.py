"""Opening a service: what it refuses, and what it tells of its store from the beginning."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from factmill.runtime.answers.question_llm import AnswerSettings
from factmill.runtime.service.service_settings import ServiceSettings
from factmill.runtime.service.service_state import Service
from factmill.schemas.errors import OptionError


@pytest.mark.parametrize(
    "answers",
    [
        AnswerSettings("hashrag"),
        AnswerSettings("r2ag", "http://127.0.0.1:1/v1", "tests-llm"),
        AnswerSettings(tokenizer=Path("nowhere")),
        AnswerSettings(None, "no address", "tests-llm"),
    ],
    ids=["no LLM", "no service", "no tokenizer", "no address"],
)
def test_a_service_that_does_not_open_leaves_no_thread(
    settings: ServiceSettings, answers: AnswerSettings
) -> None:
    before = set(threading.enumerate())

    with pytest.raises(OptionError):
        Service.open(replace(settings, answers=answers))

    assert set(threading.enumerate()) <= before


def test_a_service_tells_that_it_serves_before_it_is_asked(settings: ServiceSettings) -> None:
    service = Service.open(settings)
    try:
        assert service.metrics.registry.get_sample_value("factmill_serving") == 1
    finally:
        service.close()
