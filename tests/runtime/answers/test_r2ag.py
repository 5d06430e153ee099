"""The strategy r2ag: what the LLM is shown, and what becomes of what it writes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from factmill.models.answering.r2former.frozen_llm import FrozenLlm
from factmill.models.answering.r2former.r2former import DEFAULT_FOLDER, R2Former
from factmill.models.answering.r2former.r2former_training import save_r2former
from factmill.models.arrays import Floats
from factmill.models.llm.completion import Completion, Usage
from factmill.runtime.answers.answer import Answer
from factmill.runtime.answers.answer_question import answer
from factmill.runtime.answers.question_limits import QuestionLimits
from factmill.runtime.answers.retrieval_llm import RetrievalLlm, files_of, retrieval_llm
from factmill.runtime.index import Index
from factmill.schemas.errors import CorruptStore, ModelMismatch, OptionError, Rejected
from tests.models.answering.r2former.tiny_llm import WIDTH, tiny_llm
from tests.models.answering.r2former.tiny_r2former import tiny_card, tiny_r2former, tiny_weights
from tests.runtime.answers.fixed_index import fixed_index
from tests.runtime.tiny_build import random_head, tiny_build, tiny_index

QUESTION = "When was the bridge built?"
LIMITS = QuestionLimits(seconds=20.0)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return tiny_index(tiny_build(tmp_path_factory.mktemp("r2ag") / "store"))


@dataclass
class FakeRetrievalLlm:
    """Says what it is told, and remembers what it was shown."""

    said: str
    r2former: R2Former
    shown: list[tuple[str, list[str], Floats]] = field(default_factory=list)

    async def complete(
        self, question: str, documents: Sequence[str], features: Floats, *_: object
    ) -> Completion:
        self.shown.append((question, list(documents), features))
        if self.said == "fails":
            raise Rejected("llm_failed", "no answer")
        return Completion(self.said, False, Usage(1, 100, 5))


def ask(
    index: Index, said: str, encoder: str | None = None, limits: QuestionLimits = LIMITS
) -> tuple[Answer, FakeRetrievalLlm]:
    llm = FakeRetrievalLlm(said, tiny_r2former(encoder=encoder or random_head().encoder))
    found = answer(
        QUESTION, index, None, "r2ag", limits, retrieval_llm=cast(RetrievalLlm, llm)
    )  # fmt: skip
    return found, llm


def test_documents_and_features_are_those_of_the_best_units(index: Index) -> None:
    vectors = index.search_vectors(QUESTION, 10)
    found, llm = ask(index, "nobody says this")

    ((question, documents, features),) = llm.shown
    assert question == QUESTION
    assert len(documents) == len(vectors.hits) == len(features)
    assert all(
        document == f"{hit.title}: {hit.units[0].text}" if hit.title else True
        for document, hit in zip(documents, vectors.hits, strict=True)
        if hit.units
    )
    assert features.shape == (len(documents), 3)
    assert features[0, 1] == 0
    assert (found.ledger.calls, found.ledger.prompt_tokens) == (1, 100)


def test_an_answer_is_cited_by_the_units_that_hold_it(index: Index) -> None:
    shown = {
        hit.units[0].unit_id: hit.units[0].text
        for hit in index.search_vectors(QUESTION, 10).hits
        if hit.units
    }
    word = max(next(iter(shown.values())).rstrip(".?").split(), key=len)
    found, _ = ask(index, f"{word}\nand more lines")

    assert found.strategy == "r2ag", found.notice
    assert found.text == word
    assert 1 <= len(found.citations) <= 3
    for citation in found.citations:
        assert word in shown[str(citation.unit_id)]
        text = index.page(citation.page_id).text
        assert text[citation.start : citation.end] == citation.quote


@pytest.mark.parametrize("said", ["nobody says this", "", "I don't know"])
def test_what_stands_in_no_unit_is_not_said(index: Index, said: str) -> None:
    found, _ = ask(index, said)

    assert not found.known
    assert [step.id for step in found.steps] == ["retrieve", "answer"]


def test_a_server_that_fails_leaves_the_extractive_answer(index: Index) -> None:
    found, _ = ask(index, "fails")

    assert found.strategy == "extractive"
    assert "no answer" in found.notice


def test_a_reply_of_megabytes_is_not_read(index: Index) -> None:
    # "1901 " for 4 MB takes 15 s to be compared with the passages.
    found, _ = ask(index, "1901 " * 1000)

    assert found.strategy == "extractive"
    assert "more than 1000 characters" in found.notice


def test_tokens_of_a_question_bound_its_prompt(index: Index) -> None:
    _, whole = ask(index, "nobody says this")
    found, llm = ask(index, "nobody says this", limits=QuestionLimits(tokens=200))

    ((_, all_documents, _),), ((_, documents, _),) = whole.shown, llm.shown
    assert 0 < len(documents) < len(all_documents)
    assert documents == all_documents[: len(documents)]
    assert sum(len(one) / 4 for one in documents) < 200
    assert found.strategy == "r2ag"

    found, llm = ask(index, "1901", limits=QuestionLimits(tokens=60))
    assert (llm.shown, found.ledger.calls) == ([], 0)
    assert found.notice == "r2ag: answer: the question's 60 tokens are spent"


def test_it_needs_its_llm_codes_and_the_encoder_of_its_model(index: Index) -> None:
    with pytest.raises(OptionError, match="give --llm-folder"):
        answer(QUESTION, index, None, "r2ag", LIMITS)
    with pytest.raises(OptionError, match="needs an index with codes"):
        ask(fixed_index(Bridge="The bridge was built in 1901."), "1901")
    with pytest.raises(ModelMismatch, match="trained with encoder"):
        ask(index, "1901", "another encoder")


def test_files_belong_together() -> None:
    assert files_of(None, None) is None
    with pytest.raises(OptionError, match="--r2former FOLDER needs --llm-folder"):
        files_of(None, Path("r2former"))
    with pytest.raises(OptionError, match="--device NAME needs --llm-folder"):
        files_of(None, None, "cuda")


def test_the_llm_computes_on_the_device_that_is_named(tmp_path: Path) -> None:
    async def load() -> None:
        async with retrieval_llm(files_of(tmp_path, None, "quick"), "", "", 1):
            pass

    with pytest.raises(OptionError, match="--device quick: not on this machine"):
        asyncio.run(load())


def test_the_r2former_of_the_package_goes_with_smollm2_and_the_default_encoder() -> None:
    files = files_of(Path("model.gguf"), None)

    assert files is not None
    card = R2Former.load(files.r2former).card
    assert (card.llm, card.llm_width, card.documents) == ("SmolLM2-135M-Instruct", 576, 10)
    assert card.encoder == R2Former.load(DEFAULT_FOLDER).card.encoder


def test_a_real_llm_answers_with_the_embeddings_of_the_model(index: Index) -> None:
    encoder = random_head().encoder
    llm = RetrievalLlm(tiny_llm(), tiny_r2former(encoder=encoder, llm_width=WIDTH))

    found = answer(QUESTION, index, None, "r2ag", LIMITS, retrieval_llm=llm)

    assert not found.notice
    assert found.ledger.calls == 1
    assert found.ledger.completion_tokens <= 24
    with pytest.raises(ModelMismatch, match="width"):
        RetrievalLlm(tiny_llm(), tiny_r2former(llm_width=WIDTH + 2))


def test_the_adapter_of_an_r2former_is_in_the_llm_here_and_not_for_a_server(
    tmp_path: Path,
) -> None:
    tiny_lora = pytest.importorskip("tests.models.answering.r2former.tiny_lora")
    tiny_llm().save(tmp_path / "llm")
    llm = FrozenLlm.load(tmp_path / "llm")
    frozen = tiny_lora.logits_of(llm)
    with_it, without = tmp_path / "lora", tmp_path / "frozen"
    card = tiny_card(llm="tiny", llm_width=WIDTH)
    save_r2former(without, card, tiny_weights(card))
    lora = tiny_lora.drawn_adapter(llm).save(with_it)
    save_r2former(with_it, replace(card, lora=lora), tiny_weights(card))
    expected = tiny_lora.logits_of(llm)

    async def logits(folder: Path, url: str = "") -> Floats:
        files = files_of(tmp_path / "llm", folder)
        async with retrieval_llm(files, url, "NAME" if url else "", 1) as found:
            assert found is not None
            # Its factors are in the matrices, which takes no time of an answer.
            assert not [one for one, _ in found._llm.model.named_parameters() if "lora" in one]
            of_prompt: Floats = tiny_lora.logits_of(found._llm)
            return of_prompt

    assert np.array_equal(asyncio.run(logits(without)), frozen)
    # The server has it; what is read here is the table of embeddings alone.
    assert np.array_equal(asyncio.run(logits(with_it, "http://127.0.0.1:9/v1")), frozen)
    assert asyncio.run(logits(with_it)) == pytest.approx(expected, abs=1e-5)
    assert np.abs(expected - frozen).max() > 0.01
    (with_it / "adapter_model.safetensors").unlink()
    with pytest.raises(CorruptStore, match="not the factors of a LoRA adapter"):
        asyncio.run(logits(with_it))


def test_vectors_of_units_are_what_their_codes_stand_for(index: Index) -> None:
    found = index.search_vectors(QUESTION, 3)

    assert found.encoder == random_head().encoder
    assert [hit.page_id for hit in found.hits] == [hit.page_id for hit in index.search(QUESTION, 3)]
    for hit, vectors in zip(found.hits, found.units, strict=True):
        assert len(vectors) == max(1, len(hit.units))
        scores = np.vecdot(vectors, found.query)[: len(hit.units)]
        assert scores == pytest.approx([unit.score for unit in hit.units], abs=1e-4)
