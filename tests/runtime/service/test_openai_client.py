"""The real client of OpenAI's package against the real server."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import openai
import pytest

QUESTION = "When was the Weaver's Bridge built?"
MESSAGES = [
    {"role": "system", "content": "Answer with a poem."},
    {"role": "user", "content": "Who leads the museum?"},
    {"role": "assistant", "content": "Helena Voss"},
    {"role": "user", "content": [{"type": "text", "text": QUESTION}]},
]


@pytest.fixture
def chat(client: httpx.Client) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{client.base_url}/v1", api_key="none", max_retries=0) as made:
        yield made


def test_models_are_the_strategies_that_can_answer(chat: openai.OpenAI) -> None:
    assert [model.id for model in chat.models.list()] == [
        "factmill", "factmill-extractive", "factmill-hanrag",
    ]  # fmt: skip


def test_a_model_is_found_by_its_name(chat: openai.OpenAI) -> None:
    listed = chat.models.list().data[-1]
    assert chat.models.retrieve(listed.id) == listed
    with pytest.raises(openai.NotFoundError, match="no model 'gpt-9'"):
        chat.models.retrieve("gpt-9")


def test_completion_answers_the_last_question_with_its_sources(chat: openai.OpenAI) -> None:
    done = chat.chat.completions.create(
        model="factmill", messages=MESSAGES, temperature=0.7, max_tokens=5
    )

    (choice,) = done.choices
    message = choice.message
    assert message.content == "1742"
    assert choice.finish_reason == "stop"
    assert message.annotations is not None
    citation = message.annotations[0].url_citation
    assert (citation.url, citation.title) == ("https://bridges.example/", "Bridges")
    assert message.content[citation.start_index : citation.end_index] == "1742"
    (quoted, *_) = done.model_extra["citations"]  # type: ignore[index]
    assert quoted["quote"] == "The Weaver's Bridge was built in 1742."
    assert done.usage is not None
    assert done.usage.total_tokens == 0


def test_stream_is_the_same_answer(chat: openai.OpenAI) -> None:
    chunks = list(
        chat.chat.completions.create(
            model="factmill-extractive",
            messages=MESSAGES,
            stream=True,
            stream_options={"include_usage": True},
        )
    )

    *others, last = chunks
    deltas = [choice.delta for chunk in others for choice in chunk.choices]
    assert "".join(delta.content or "" for delta in deltas) == "1742"
    assert [c.finish_reason for chunk in others for c in chunk.choices][-1] == "stop"
    (noted,) = [delta for delta in deltas if "annotations" in (delta.model_extra or {})]
    assert noted.model_extra["annotations"][0]["url_citation"]["title"] == "Bridges"  # type: ignore[index]
    assert last.choices == []
    assert last.usage is not None
    assert last.usage.total_tokens == 0


def test_stream_without_usage_has_none(chat: openai.OpenAI) -> None:
    chunks = list(chat.chat.completions.create(model="factmill", messages=MESSAGES, stream=True))

    assert chunks
    assert all(chunk.choices and chunk.usage is None for chunk in chunks)


def test_model_that_there_is_not_is_the_error_of_openai(chat: openai.OpenAI) -> None:
    with pytest.raises(openai.NotFoundError) as raised:
        chat.chat.completions.create(model="gpt-4", messages=MESSAGES)

    assert raised.value.code == "model_not_found"
    assert "gpt-4" in raised.value.message


def test_conversation_without_a_question_is_refused(chat: openai.OpenAI) -> None:
    with pytest.raises(openai.UnprocessableEntityError, match="messages: there is no question"):
        chat.chat.completions.create(model="factmill", messages=MESSAGES[:1])


@pytest.mark.parametrize("as_parts", [False, True])
def test_messages_that_are_not_read_may_be_long(chat: openai.OpenAI, as_parts: bool) -> None:
    text = "x" * 20_001
    content = [{"type": "text", "text": text}] if as_parts else text

    system = {"role": "system", "content": content}
    done = chat.chat.completions.create(model="factmill", messages=[system, *MESSAGES[1:]])
    assert done.choices[0].message.content

    asked = [{"role": "user", "content": content}]
    with pytest.raises(
        openai.UnprocessableEntityError, match=r"a question of more than [0-9]+ characters"
    ):
        chat.chat.completions.create(model="factmill", messages=asked)


def test_token_is_the_api_key(closed: httpx.Client) -> None:
    url = f"{closed.base_url}/v1"
    wrong = openai.OpenAI(base_url=url, api_key="wrong", max_retries=0)
    with wrong, pytest.raises(openai.AuthenticationError):
        wrong.models.list()
    with openai.OpenAI(base_url=url, api_key="second-token", max_retries=0) as chat:
        assert [model.id for model in chat.models.list()]
