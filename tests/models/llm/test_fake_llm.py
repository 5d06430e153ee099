"""The fake behaves as the client does."""

from __future__ import annotations

import pytest

from factmill.models.llm.completion import Completion, Llm, Message, Usage
from factmill.models.llm.fake_llm import FakeLlm
from factmill.schemas.errors import Rejected
from tests.models.llm.client_calls import question, run


def test_answers_counts_and_remembers() -> None:
    fake = FakeLlm(lambda messages: messages[-1].content.upper())
    llm: Llm = fake

    completion = run(llm.complete(question("why"), 50, {"type": "object"}))

    assert completion == Completion("WHY", False, Usage(1, 5, 1))  # 15 + 3 and 3 bytes
    assert fake.used == completion.usage
    assert fake.conversations == [(Message("system", "Answer in JSON."), Message("user", "why"))]


def test_long_answers_are_cut() -> None:
    completion = run(FakeLlm(lambda _: "ä" * 100).complete(question("x"), 10))

    assert (completion.text, completion.truncated) == ("ä" * 20, True)
    assert completion.usage.completion_tokens == 10


def test_what_the_function_raises_reaches_the_caller() -> None:
    def refuse(_: object) -> str:
        raise Rejected("llm_refused")

    with pytest.raises(Rejected, match="llm_refused"):
        run(FakeLlm(refuse).complete(question("x"), 10))
