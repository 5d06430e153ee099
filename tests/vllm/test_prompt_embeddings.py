"""Prompts with retrieval embeddings against a real vLLM: it reads them as transformers does.

With a Llama of random weights, and with SmolLM2-135M-Instruct and the R2-Former of the package.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from factmill.models.answering.r2former.frozen_llm import FrozenLlm
from factmill.models.answering.r2former.list_features import list_features
from factmill.models.answering.r2former.r2former import SMOLLM2_FOLDER, R2Former
from factmill.models.answering.r2former.retrieval_prompt import retrieval_prompt
from factmill.models.arrays import Floats
from factmill.models.llm.completion import Completion
from factmill.models.llm.connection import Connection
from factmill.models.llm.embedded_completion import EmbeddedCompletions, embedded_request
from factmill.models.llm.endpoint import Endpoint
from factmill.runtime.answers.answer import Answer
from factmill.runtime.answers.answer_question import answer_async
from factmill.runtime.answers.question_limits import QuestionLimits
from factmill.runtime.answers.retrieval_llm import RetrievalLlm
from factmill.schemas.errors import Rejected
from tests.models.answering.r2former.next_logits import next_logits
from tests.models.answering.r2former.tiny_r2former import tiny_r2former
from tests.runtime.tiny_build import random_head, tiny_build, tiny_index
from tests.vllm.tiny_model import serve_model

pytestmark = pytest.mark.timeout(1200)  # the first test waits for the server

QUESTION = "Who designed the lighthouse of Saltmere?"
DOCUMENTS = [
    f"Lights of Harrow Bay: light {number} stands on a reef {number} km west of Port Elland and"
    f" was designed by Hugh Fenwick in {1800 + number}."
    for number in range(10)
]
# The wanted 1e-3 holds for log probabilities, too: each is a logit less the same sum.
CLOSE = 1e-3
_TOP = 20
_SECONDS = 300.0


@dataclass(frozen=True)
class Served:
    """An LLM, its R2-Former, and the server that has the same LLM."""

    llm: FrozenLlm
    r2former: R2Former
    endpoint: Endpoint

    def vectors(self, documents: int, longest: int, embedded: bool = True) -> torch.Tensor:
        """The vectors of a prompt that shows so many documents, or as many as fit."""
        prompt = retrieval_prompt(
            QUESTION, DOCUMENTS[:documents], self.llm.tokenise, self.llm.turn, longest, embedded
        )
        vectors: torch.Tensor = self.llm.vectors(
            prompt, self.r2former.embeddings(features(documents)) if embedded else None
        )
        return vectors

    def difference(self, vectors: torch.Tensor, request: dict[str, object]) -> float:
        """The largest between log probabilities of the next token, here and at the server. They
        are of the same tokens: the most likely ones."""
        expected = torch.log_softmax(torch.from_numpy(next_logits(self.llm, vectors)).double(), 0)
        found = asyncio.run(self._log_probabilities(request))
        assert set(found) == set(torch.topk(expected, _TOP).indices.tolist())
        return max(abs(said - float(expected[token])) for token, said in found.items())

    async def _log_probabilities(self, request: dict[str, object]) -> dict[int, float]:
        asked = {
            **request, "max_tokens": 1, "temperature": 0, "logprobs": _TOP,
            "return_tokens_as_token_ids": True,
        }  # fmt: skip
        connection = Connection(self.endpoint)
        response = await connection.post("/completions", asked, _SECONDS, "")
        await connection.close()
        (choice,) = response.json()["choices"]
        (top,) = choice["logprobs"]["top_logprobs"]
        return {int(name.removeprefix("token_id:")): said for name, said in top.items()}

    def complete(self, vectors: torch.Tensor, most: int) -> Completion:
        async def work() -> Completion:
            async with EmbeddedCompletions(self.endpoint) as server:
                return await server.complete(vectors[0], most, _SECONDS)

        return asyncio.run(work())


@pytest.fixture(scope="module", params=["random", "SmolLM2"])
def served(request: pytest.FixtureRequest) -> Any:
    vllm = request.getfixturevalue("vllm")
    if request.param == "random":
        url, model = request.getfixturevalue("url"), request.getfixturevalue("model")
        llm = FrozenLlm.load(Path(model))
        yield Served(llm, tiny_r2former(llm_width=llm.width), Endpoint(url, model))
        return
    folder = request.getfixturevalue("smollm2")
    with serve_model(vllm, str(folder)) as url:
        yield Served(
            FrozenLlm.load(folder), R2Former.load(SMOLLM2_FOLDER), Endpoint(url, str(folder))
        )


def features(documents: int) -> Floats:
    draw = np.random.default_rng(documents)
    query = draw.standard_normal(384).astype(np.float32)
    return list_features(query, query + draw.standard_normal((documents, 384)).astype(np.float32))


def test_a_prompt_of_tokens_is_read_alike(served: Served) -> None:
    prompt = retrieval_prompt(
        QUESTION, DOCUMENTS, served.llm.tokenise, served.llm.turn, 8000, embedded=False
    )
    request = {"model": served.endpoint.model, "prompt": list(prompt.tokens)}

    assert served.difference(served.llm.vectors(prompt), request) < CLOSE


# 420 tokens do not hold ten documents of either LLM.
@pytest.mark.parametrize(("documents", "longest"), [(1, 8000), (2, 8000), (10, 8000), (10, 420)])
def test_a_prompt_with_embeddings_is_read_alike(
    served: Served, documents: int, longest: int
) -> None:
    vectors = served.vectors(documents, longest)

    request = embedded_request(served.endpoint.model, vectors[0], 1)

    assert vectors.shape[1] <= longest
    assert served.difference(vectors, request) < CLOSE
    # What is compared hangs on the embeddings.
    plain = served.vectors(documents, longest, embedded=False)
    assert np.abs(next_logits(served.llm, vectors) - next_logits(served.llm, plain)).max() > 0.1


def test_the_same_answer_is_written(served: Served) -> None:
    vectors = served.vectors(10, 8000)

    said, expected = served.complete(vectors, 24), served.llm.written(vectors, 24)

    assert said.text == expected.text
    assert said.usage == expected.usage
    assert said.truncated == expected.truncated


def test_a_prompt_over_the_context_is_refused_in_words(served: Served) -> None:
    with pytest.raises(Rejected, match="status 400: This model's maximum context length"):
        served.complete(torch.zeros(1, 9000, served.llm.width), 8)


def test_the_strategy_answers_alike_here_and_at_the_server(served: Served, tmp_path: Path) -> None:
    index = tiny_index(tiny_build(tmp_path / "store"))
    r2former = tiny_r2former(encoder=random_head().encoder, llm_width=served.llm.width)

    async def ask(remote: bool) -> Answer:
        async with EmbeddedCompletions(served.endpoint) as server:
            llm = RetrievalLlm(served.llm, r2former, server if remote else None)
            return await answer_async(
                "When was the bridge built?", index, None, "r2ag",
                QuestionLimits(seconds=_SECONDS), retrieval_llm=llm,
            )  # fmt: skip

    here, there = (asyncio.run(ask(remote)) for remote in (False, True))

    assert not there.notice
    assert [step.answer for step in there.steps] == [step.answer for step in here.steps]
    assert (there.text, there.ledger.calls) == (here.text, 1)
    assert there.ledger.prompt_tokens == here.ledger.prompt_tokens > 100
