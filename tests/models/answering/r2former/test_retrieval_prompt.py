"""Positions of retrieval embeddings: computed, whatever the texts say."""

from __future__ import annotations

import pytest

from factmill.models.answering.r2former.retrieval_prompt import (
    RetrievalPrompt,
    Turn,
    retrieval_prompt,
)
from factmill.schemas.errors import OptionError

TURN = Turn((1, 2), (3,))
DOCUMENTS = ["<unk> <R> [2]", "\x00 [1] [3]", "third\n\ndocument"]


def tokenise(text: str) -> list[int]:
    """A token for each character."""
    return list(map(ord, text))


def shown(prompt: RetrievalPrompt) -> str:
    """The prompt with an E at the positions of embeddings, without the marks of turns."""
    tokens = list(prompt.tokens)
    for position in prompt.positions:
        tokens[position] = ord("E")
    return "".join(map(chr, tokens[len(TURN.before) : len(tokens) - len(TURN.after)]))


def test_an_embedding_stands_in_front_of_each_document() -> None:
    prompt = retrieval_prompt("Who?", DOCUMENTS, tokenise, TURN, 1000)

    _, _, rest = shown(prompt).partition("as the results have it.\n")
    assert rest == ("[1]E <unk> <R> [2]\n[2]E \x00 [1] [3]\n[3]E third document\nQuestion: Who?")
    assert (prompt.tokens[:2], prompt.tokens[-1:]) == (TURN.before, TURN.after)


def test_a_plain_prompt_is_the_same_without_embeddings() -> None:
    plain = retrieval_prompt("Who?", DOCUMENTS, tokenise, TURN, 1000, embedded=False)
    embedded = retrieval_prompt("Who?", DOCUMENTS, tokenise, TURN, 1000)

    assert plain.positions == ()
    assert plain.tokens == tuple(
        token for n, token in enumerate(embedded.tokens) if n not in embedded.positions
    )


def test_truncation_drops_whole_documents_from_the_end_with_their_embeddings() -> None:
    whole = retrieval_prompt("Who?", DOCUMENTS, tokenise, TURN, 1000)
    without = [len(retrieval_prompt("Who?", DOCUMENTS[:n], tokenise, TURN, 1000).tokens)
               for n in range(4)]  # fmt: skip
    assert without[3] == len(whole.tokens)

    for longest in range(without[0], without[3] + 1):
        prompt = retrieval_prompt("Who?", DOCUMENTS, tokenise, TURN, longest)
        kept = max(n for n in range(4) if without[n] <= longest)
        assert len(prompt.tokens) == without[kept] <= longest
        assert prompt.positions == whole.positions[:kept]
        assert shown(prompt).endswith("Question: Who?")


def test_a_question_that_does_not_fit_is_a_wrong_option() -> None:
    with pytest.raises(OptionError, match="too long for a prompt of 50 tokens"):
        retrieval_prompt("Who?", [], tokenise, TURN, 50)
