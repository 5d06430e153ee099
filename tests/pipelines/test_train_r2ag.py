"""The prompts whose answers are compared."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from factmill.models.answering.r2former.shown_example import ShownExample
from factmill.models.answering.r2former.training_config import RankedExample
from factmill.models.llm.completion import Completion, Usage
from factmill.pipelines.train_r2ag import said_to
from factmill.schemas.errors import OptionError
from tests.models.answering.r2former.tiny_llm import WIDTH, tiny_llm
from tests.models.answering.r2former.tiny_r2former import tiny_r2former

FEATURES = np.random.default_rng(0).standard_normal((3, 3)).astype(np.float32)
EXAMPLE = ShownExample(
    "When?", ("1901",), ("the bridge", "a road", "a well"),
    RankedExample(FEATURES, np.array([False, True, False])),
)  # fmt: skip


class Recorder:
    """Keeps what the LLM is given, and writes nothing."""

    def __init__(self) -> None:
        self._llm = tiny_llm()
        self.tokenise, self.turn, self.longest = self._llm.tokenise, self._llm.turn, 900
        self.given: list[Any] = []

    def vectors(self, prompt: Any, embeddings: Any) -> Any:
        self.given.append((self._llm._tokenizer.decode(prompt.tokens), embeddings))
        return None

    def written(self, *_: object) -> Completion:
        return Completion("", False, Usage(1, 0, 0))


def test_each_prompt_shows_its_documents_and_embeddings() -> None:
    llm, model = Recorder(), tiny_r2former(llm="tiny", llm_width=WIDTH)

    for name in ("plain", "gold", "embeddings", "shuffled"):
        said_to(name, EXAMPLE, llm, model, 5, seed=3)  # type: ignore[arg-type]

    texts, embeddings = zip(*llm.given, strict=True)
    words = ["".join(text.split()) for text in texts]
    assert [["thebridge" in one, "aroad" in one] for one in words] == [
        [True, True], [False, True], [True, True], [True, True],
    ]  # fmt: skip
    assert embeddings[:2] == (None, None)
    assert np.array_equal(embeddings[2], model.embeddings(FEATURES))
    shuffled = np.random.default_rng(3).permutation(FEATURES)
    assert not np.array_equal(shuffled, FEATURES)
    assert np.array_equal(embeddings[3], model.embeddings(shuffled))


def test_embeddings_without_a_model_are_a_wrong_option() -> None:
    with pytest.raises(OptionError, match="--prompts shuffled: give --r2former"):
        said_to("shuffled", EXAMPLE, Recorder(), None, 5, seed=0)  # type: ignore[arg-type]
