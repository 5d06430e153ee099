"""Every strategy against a small real LLM. What it says is worth little, but it says it as LLMs do:
prose around JSON, half an object, a passage again and again. Nothing of that may be passed on."""

from __future__ import annotations

import asyncio

import pytest

from factmill.models.answering.words.answer_words import DONT_KNOW

pytest.importorskip("openai", reason="needs the extra llm; `make test-llm` installs it")
from factmill.models.llm.client import OpenAIClient
from factmill.models.llm.endpoint import Endpoint
from factmill.runtime.answers.answer import Answer
from factmill.runtime.answers.answer_question import STRATEGIES, answer_async
from factmill.runtime.answers.question_limits import QuestionLimits
from tests.runtime.answers.fixed_index import fixed_index, page_text
from tests.small_llm.conftest import SmallLlm

pytestmark = pytest.mark.timeout(1200)  # one answer takes a minute on a slow machine

PAGES = {
    "Tarn_Song": "Tarn Song is a 1961 film directed by Ann Lee.",
    "Ann_Lee": "Ann Lee (3 May 1921 – 1990) was a Danish director. She was born in Saltmere.",
    "Saltmere": "Saltmere is a town. It has 11,305 inhabitants.",
}
QUESTIONS = ("Where was the director of Tarn Song born?", "Who designed the Saltmere bridge?")


def ask(question: str, strategy: str, url: str) -> Answer:
    async def work() -> Answer:
        async with OpenAIClient(Endpoint(url, "smollm2")) as llm:
            limits = QuestionLimits(seconds=600.0, steps=2)
            return await answer_async(question, fixed_index(**PAGES), llm, strategy, limits)

    return asyncio.run(work())


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("strategy", sorted(set(STRATEGIES) - {"r2ag"}))
def test_an_answer_has_its_shape_its_calls_and_its_quotes(
    strategy: str, question: str, small_llm: SmallLlm
) -> None:
    before = len(small_llm.requests())
    found = ask(question, strategy, small_llm.url)
    requests = [one for one in small_llm.requests()[before:] if one["step"] != "probe"]

    assert found.ledger.calls == len(requests) <= STRATEGIES[strategy].calls + 1
    assert found.ledger.calls > 0 or strategy == "extractive"
    assert found.ledger.prompt_tokens == sum(one["prompt_tokens"] for one in requests)
    assert found.ledger.completion_tokens == sum(one["completion_tokens"] for one in requests)
    assert found.known is (found.text != DONT_KNOW)
    assert (found.strategy == strategy) is not bool(found.notice)
    asked = {one["step"] for one in requests}
    assert set(found.ledger.seconds) >= asked
    # A step that failed is not on the list: the notice says why.
    assert found.notice or {step.kind for step in found.steps} >= asked
    for citation in found.citations:
        text = page_text(PAGES[citation.title.replace(" ", "_")])
        assert text[citation.start : citation.end] == citation.quote
    document = found.as_json()
    assert set(document) >= {"text", "known", "confidence", "citations", "steps", "ledger"}
