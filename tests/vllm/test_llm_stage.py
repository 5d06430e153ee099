"""The LLM stage against a real vLLM. What a random model says is worth nothing, but it has the form
that was asked for, and it comes with everything a server does."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pyarrow.dataset as ds
import pytest

from factmill.models.llm.client import OpenAIClient
from factmill.models.llm.completion import Completion, Message
from factmill.models.llm.endpoint import Endpoint
from factmill.pipelines.clean import clean
from factmill.pipelines.extract import extract
from factmill.pipelines.job import Job
from factmill.pipelines.llm_options import LlmOptions
from factmill.pipelines.runners.run_job import RunOptions
from factmill.pipelines.settings import BuildOptions, settings_for
from factmill.schemas.errors import OptionError, Rejected
from factmill.schemas.layout import BuildDir, Store
from factmill.schemas.manifest import StageCounts
from factmill.transforms.extract.extract_units import EXTRACT_STAGE, LEDGER, VALIDATE
from factmill.transforms.tasks.task_results import TaskResults
from tests.conftest import SAMPLES

pytestmark = pytest.mark.timeout(1200)  # the first test waits for the server

NAMES = {
    "type": "object",
    "properties": {
        "names": {"type": "array", "maxItems": 3, "items": {"type": "string", "maxLength": 20}}
    },
    "required": ["names"],
    "additionalProperties": False,
}
QUESTION = [Message("system", "Name the towns. " * 50), Message("user", "Saltmere, Port Elland")]


def complete(url: str, model: str, messages: list[Message], max_tokens: int) -> Completion:
    async def ask() -> Completion:
        async with OpenAIClient(Endpoint(url, model)) as llm:
            return await llm.complete(messages, max_tokens, NAMES)

    return asyncio.run(ask())


def test_answer_has_the_form_of_the_schema_and_tokens_are_counted(url: str, model: str) -> None:
    completion = complete(url, model, QUESTION, 200)

    answer = json.loads(completion.text, strict=False)  # vLLM lets control characters pass
    assert list(answer) == ["names"]
    assert len(answer["names"]) <= 3
    assert all(len(name) <= 20 for name in answer["names"])
    assert not completion.truncated
    assert completion.usage.calls == 1
    assert completion.usage.prompt_tokens > 50
    assert 0 < completion.usage.completion_tokens <= 200


def test_answer_that_reaches_the_limit_of_tokens_is_truncated(url: str, model: str) -> None:
    completion = complete(url, model, QUESTION, 3)

    assert completion.truncated
    assert completion.usage.completion_tokens == 3


def test_prompt_over_the_context_is_refused_by_itself(url: str, model: str) -> None:
    with pytest.raises(Rejected, match="maximum context length") as caught:
        complete(url, model, [Message("user", "word " * 20_000)], 10)

    assert caught.value.reason == "llm_refused"


def test_model_that_is_not_served_is_an_option_error(url: str) -> None:
    with pytest.raises(OptionError, match="does not exist"):
        complete(url, "some/other-model", QUESTION, 10)


def test_stage_reads_or_rejects_every_segment_and_asks_once(
    url: str, model: str, tmp_path: Path
) -> None:
    store = Store(tmp_path / "store")
    first = run_stage(store.build("20260101T000000Z-aaaaaa"), url, model)
    counts, ledger = total(first, EXTRACT_STAGE), total(first, LEDGER).produced

    segments = ds.dataset(first.root / "11_segments").to_table().to_pylist()
    assert counts.records_in == len(segments) > 10
    assert counts.balanced
    assert total(first, VALIDATE).balanced
    assert ledger["segments_new"] == len(segments)
    assert ledger["calls"] >= len({segment["page_id"] for segment in segments})
    assert ledger["prompt_tokens"] > 500 * ledger["calls"]  # the prompt's common part alone
    assert ledger["completion_tokens"] > 0
    texts = {segment["segment_id"]: segment["text"] for segment in segments}
    for pair in ds.dataset(first.root / "21_qa_pairs").to_table().to_pylist():
        start, end = pair["answer_start"], pair["answer_end"]
        assert texts[pair["segment_id"]][start:end] == pair["answer"]

    second = run_stage(store.build("20260102T000000Z-bbbbbb"), url, model)

    again = total(second, LEDGER).produced
    assert (again["calls"], again["segments_reused"]) == (0, len(segments))
    assert total(second, EXTRACT_STAGE) == counts


def run_stage(build: BuildDir, url: str, model: str) -> BuildDir:
    inputs = [str(SAMPLES / "pages.jsonl")]
    options = BuildOptions(inputs=inputs, reader="llm", llm_model=model, code_bits=128, shards=2)
    settings = settings_for(build.store, options)
    job = Job(build, settings, None, RunOptions(1, llm=LlmOptions(url=url, in_flight=8)))
    clean(job)
    extract(job)
    return build


def total(build: BuildDir, stage: str) -> StageCounts:
    return TaskResults.of(build, stage).total()
