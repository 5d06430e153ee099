"""The prompts whose answers are compared, and what is said of the answers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from factmill.models.answering.r2former.shown_example import ShownExample
from factmill.models.answering.r2former.training_config import RankedExample
from factmill.pipelines.r2ag_measurement import (
    MeasuredLlm,
    WrittenAnswer,
    difference,
    figures,
    keep_answers,
    kept_answers,
)
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


def test_each_prompt_shows_its_documents_and_embeddings() -> None:
    llm, model = Recorder(), tiny_r2former(llm="tiny", llm_width=WIDTH)

    marks = torch.arange(2 * WIDTH).reshape(2, WIDTH)

    for name in ("plain", "gold", "embeddings", "shuffled", "marks"):
        MeasuredLlm(llm, model, marks, 5, 0).vectors(name, EXAMPLE, 3)  # type: ignore[arg-type]

    texts, embeddings = zip(*llm.given, strict=True)
    words = ["".join(text.split()) for text in texts]
    assert [["thebridge" in one, "aroad" in one] for one in words] == [
        [True, True], [False, True], [True, True], [True, True], [True, True],
    ]  # fmt: skip
    assert embeddings[:2] == (None, None)
    assert np.array_equal(embeddings[2], model.embeddings(FEATURES))
    shuffled = np.random.default_rng(3).permutation(FEATURES)
    assert not np.array_equal(shuffled, FEATURES)
    assert np.array_equal(embeddings[3], model.embeddings(shuffled))
    # The second document is the gold one.
    assert torch.equal(embeddings[4], marks[[0, 1, 0]])


def test_embeddings_without_a_model_are_a_wrong_option() -> None:
    with pytest.raises(OptionError, match="--prompts shuffled needs --r2former"):
        MeasuredLlm(tiny_llm(), None, None, 5, 0).answers("shuffled", [0], [EXAMPLE])
    with pytest.raises(OptionError, match="--prompts marks needs --marks"):
        MeasuredLlm(tiny_llm(), None, None, 5, 0).answers("marks", [0], [EXAMPLE])
    with pytest.raises(OptionError, match="--prompts plain-lora needs --r2former FOLDER with"):
        MeasuredLlm(tiny_llm(), None, None, 5, 0).answers("plain-lora", [0], [EXAMPLE])


def test_a_batch_is_answered_as_its_questions_alone() -> None:
    measured = MeasuredLlm(tiny_llm(), None, None, 5, 0)
    examples = [EXAMPLE, replace(EXAMPLE, documents=("another bridge that was built",))]

    together = measured.answers("plain", [0, 1], examples)
    alone = [measured.answers("plain", [n], examples)[0] for n in (0, 1)]

    assert [one.text for one in together] == [one.text for one in alone]
    assert [(one.question, one.gold, one.right) for one in together] == [
        (0, "1901", False), (1, "1901", False),
    ]  # fmt: skip


@pytest.mark.parametrize("content", ["not JSON\n", '{"prompt": "plain"}\n', "[]\nrest"])
def test_kept_answers_of_another_file_are_refused_and_left_alone(
    content: str, tmp_path: Path
) -> None:
    path = tmp_path / "answers"
    path.write_text(content)

    with pytest.raises(OptionError, match="not answers of `measure`"):
        kept_answers(path)
    assert path.read_text() == content


def test_kept_answers_are_read_as_they_were_written(tmp_path: Path) -> None:
    answers = [written("plain", n, right=n == 1) for n in range(3)]

    keep_answers(tmp_path / "answers", answers[:1])
    keep_answers(tmp_path / "answers", answers[1:])

    assert kept_answers(tmp_path / "answers") == answers
    assert kept_answers(tmp_path / "missing") == kept_answers(None) == []


def test_kept_answers_go_on_behind_the_last_whole_one(tmp_path: Path) -> None:
    answers = [written("plain", n, right=True) for n in range(2)]
    keep_answers(tmp_path / "answers", answers[:1])
    with (tmp_path / "answers").open("a") as lines:
        lines.write('{"prompt": "pl')  # what a killed run left

    assert kept_answers(tmp_path / "answers") == answers[:1]
    keep_answers(tmp_path / "answers", answers[1:])
    assert kept_answers(tmp_path / "answers") == answers


def test_prompts_are_compared_on_the_questions_that_both_were_asked() -> None:
    answers = [written("plain", n, right=n < 2) for n in range(4)]
    answers += [written("embeddings", n, right=n != 2) for n in (1, 2, 3, 9)]

    found = figures(answers, ("plain", "embeddings", "gold"))

    assert found["plain"] == {"questions": 4, "right": 0.5, "seconds": 2.0}
    assert found["embeddings"]["right"] == 0.75
    # Of questions 1, 2 and 3, one is answered by embeddings alone.
    assert found["embeddings"]["above_plain"][0] == pytest.approx(1 / 3, abs=1e-3)
    assert "gold" not in found


def test_an_interval_is_that_of_a_mean() -> None:
    above = np.random.default_rng(1).choice([-1, 0, 1], 400, p=[0.1, 0.7, 0.2])

    mean, low, high = difference(above)

    error = above.std() / 20
    assert mean == pytest.approx(above.mean(), abs=1e-4)
    assert [low, high] == pytest.approx([mean - 1.96 * error, mean + 1.96 * error], abs=0.01)


def written(prompt: str, question: int, right: bool) -> WrittenAnswer:
    return WrittenAnswer(prompt, question, right, "it was 1901", "1901", 2.0, 1.5)
