"""Answers with an LLM behind the service."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import httpx
import openai
import pytest

from factmill.runtime.answers.question_llm import AnswerSettings
from factmill.runtime.service.answer_documents import AnswerDocument
from factmill.runtime.service.service_settings import ServiceSettings
from tests.llm_server import Body, LlmServer, error
from tests.runtime.service.live_service import live_service
from tests.runtime.service.test_routes import events

QUESTION = "When was the Weaver's Bridge built?"
SAID = json.dumps({"reasoning": "It stands there.", "answer": "1742", "citations": [1, 2]})


@pytest.fixture(scope="module")
def llm() -> Iterator[LlmServer]:
    with LlmServer(lambda _: SAID) as server:
        yield server


@pytest.fixture(scope="module")
def with_llm(settings: ServiceSettings, llm: LlmServer) -> Iterator[httpx.Client]:
    answers = AnswerSettings("hashrag", llm.url, "tests-llm")
    with live_service(replace(settings, answers=answers)) as client:
        yield client


def test_llm_answers_and_its_tokens_are_the_usage(with_llm: httpx.Client, llm: LlmServer) -> None:
    with openai.OpenAI(base_url=f"{with_llm.base_url}/v1", api_key="none") as chat:
        done = chat.chat.completions.create(
            model="factmill", messages=[{"role": "user", "content": QUESTION}]
        )

    assert done.choices[0].message.content == "1742"
    assert done.usage is not None
    assert 0 < done.usage.completion_tokens < done.usage.prompt_tokens
    assert llm.headers[-1]["x-factmill-step"] == "answer"
    metrics = with_llm.get("/metrics").text
    (counted,) = [
        line
        for line in metrics.splitlines()
        if line.startswith("gen_ai_client_token_usage_sum") and 'type="input"' in line
    ]
    assert 'gen_ai_request_model="tests-llm"' in counted
    assert float(counted.split()[1]) == done.usage.prompt_tokens


def test_build_says_which_strategies_an_llm_makes_possible(with_llm: httpx.Client) -> None:
    build = with_llm.get("/v1/build").json()

    assert {"extractive", "hashrag", "compactrag"} <= set(build["strategies"])
    assert (build["default_strategy"], build["llm_model"]) == ("hashrag", "tests-llm")
    names = {model["id"] for model in with_llm.get("/v1/models").json()["data"]}
    assert {"factmill", "factmill-compactrag"} <= names


def test_service_asks_the_sources_of_knowledge_that_it_is_given(
    settings: ServiceSettings,
) -> None:
    call = {"name": "store_triples", "arguments": {"subject": "Weaver's Bridge"}}

    def reply(body: Body) -> str:
        asked = body["messages"][0]["content"]
        if "choose functions" in asked:
            return json.dumps({"calls": [call]})
        if "sort a question" in asked:
            return json.dumps({"domain": "open", "dynamism": "static"})
        return json.dumps(
            {"reasoning": "r", "false_premise": False, "answer": "1742", "citations": [1]}
        )

    with LlmServer(reply) as server:
        answers = AnswerSettings("hybrid", server.url, "tests-llm", knowledge=("store",))
        with live_service(replace(settings, answers=answers)) as client:
            found = client.post("/v1/answer", json={"question": QUESTION}).json()

    assert (found["text"], found["strategy"]) == ("1742", "hybrid")
    (lookup,) = [step for step in found["steps"] if step["kind"] == "lookup"]
    assert json.loads(lookup["answer"]) == [["store_triples", {"subject": "Weaver's Bridge"}]]
    assert "| was built in | 1742" in server.bodies[-1]["messages"][1]["content"]


def test_refused_key_is_told_in_the_notice(settings: ServiceSettings) -> None:
    with LlmServer(lambda _: SAID, override=lambda *_: error(401, "bad key")) as server:
        answers = AnswerSettings("hashrag", server.url, "tests-llm")
        with live_service(replace(settings, answers=answers)) as client:
            found = client.post("/v1/answer", json={"question": QUESTION})

    assert (found.status_code, found.json()["strategy"]) == (200, "extractive")
    assert "bad key" in found.json()["notice"]


def test_answer_without_the_llm_says_why(settings: ServiceSettings) -> None:
    with LlmServer(lambda _: "no JSON at all") as server:
        answers = AnswerSettings("hashrag", server.url, "tests-llm")
        with live_service(replace(settings, answers=answers)) as client:
            *steps, (last, document) = events(
                client.post(
                    "/v1/answer",
                    json={"question": QUESTION},
                    headers={"accept": "text/event-stream"},
                ).text
            )

    answer = AnswerDocument.model_validate(document)
    assert last == "answer"
    assert (answer.text, answer.strategy) == ("1742", "extractive")
    assert answer.notice.startswith("hashrag: ")
    sent = [step["id"] for _, step in steps]
    assert [step.id.removeprefix("hashrag-") for step in answer.steps] == sent
