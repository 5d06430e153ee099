"""How often a frozen LLM answers rightly: different prompts on the same questions.

    question, documents -> the prompt of each name -> what the LLM writes -> does it hold an answer?

`plain` shows the documents alone, `gold` only the gold ones, `embeddings` all of them with the
embeddings of an R2-Former, `shuffled` with those of features that went to another document, `marks`
with the two marks of `learn_marks`, chosen by labels: what perfect relevance would reach.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from factmill.models.answering.r2former.frozen_llm import FrozenLlm
from factmill.models.answering.r2former.r2former import R2Former
from factmill.models.answering.r2former.retrieval_prompt import retrieval_prompt
from factmill.models.answering.r2former.shown_example import ShownExample
from factmill.runtime.evaluate import normalised
from factmill.schemas.errors import OptionError

PROMPTS = ("plain", "gold", "embeddings", "shuffled", "marks")
_EMBEDDED = PROMPTS[2:]
_DRAWN = 2000


@dataclass(frozen=True, slots=True)
class WrittenAnswer:
    """What the LLM wrote to the question of this number, whether it holds an answer, and the mean
    seconds of an answer of its batch, by the clock and of this process's processors."""

    prompt: str
    question: int
    right: bool
    text: str
    gold: str
    seconds: float
    processor_seconds: float


@dataclass(frozen=True, slots=True)
class MeasuredLlm:
    """An LLM that writes `most` tokens at most, the R2-Former of prompts with embeddings, and the
    marks, a tensor of shape (2, width), of other documents and of relevant ones."""

    llm: FrozenLlm
    model: R2Former | None
    marks: Any
    most: int
    seed: int

    def answers(
        self, prompt: str, numbers: Sequence[int], examples: Sequence[ShownExample]
    ) -> list[WrittenAnswer]:
        """To the questions of these numbers, in one batch. Raises OptionError without the R2-Former
        or the marks that the prompt needs."""
        began, processor = time.perf_counter(), time.process_time()
        vectors = [self.vectors(prompt, examples[n], self.seed + n + 1) for n in numbers]
        said = [one.text for one in self.llm.written_together(vectors, self.most)]
        seconds = (time.perf_counter() - began) / len(said)
        processor = (time.process_time() - processor) / len(said)
        return [
            WrittenAnswer(
                prompt, n, holds_answer(text, examples[n].answers), text, examples[n].answers[0],
                round(seconds, 3), round(processor, 3),
            )
            for n, text in zip(numbers, said, strict=True)
        ]  # fmt: skip

    def vectors(self, prompt: str, example: ShownExample, seed: int) -> Any:
        """What the LLM reads."""
        documents = list(example.documents)
        if prompt == "gold":
            documents = [documents[n] for n in example.ranked.relevant.nonzero()[0]]
        tokens = retrieval_prompt(
            example.question, documents, self.llm.tokenise, self.llm.turn,
            self.llm.longest - self.most, prompt in _EMBEDDED,
        )  # fmt: skip
        return self.llm.vectors(tokens, self._embeddings(prompt, example, seed))

    def _embeddings(self, prompt: str, example: ShownExample, seed: int) -> Any:
        if prompt not in _EMBEDDED:
            return None
        if prompt == "marks":
            if self.marks is None:
                raise OptionError("--prompts marks: give --marks")
            return self.marks[example.ranked.relevant.astype(int)]
        if self.model is None:
            raise OptionError(f"--prompts {prompt}: give --r2former")
        features = example.ranked.features
        if prompt == "shuffled":
            features = np.random.default_rng(seed).permutation(features)
        return self.model.embeddings(features)


def holds_answer(text: str, answers: Iterable[str]) -> bool:
    """Whether any of the answers stands in a text, both normalised."""
    return any(normalised(answer) in normalised(text) for answer in answers)


def kept_answers(path: Path | None) -> list[WrittenAnswer]:
    """The lines of a file of `keep_answers`; none without one."""
    if path is None or not path.is_file():
        return []
    return [WrittenAnswer(**json.loads(line)) for line in path.read_text().splitlines()]


def keep_answers(path: Path | None, answers: Iterable[WrittenAnswer]) -> None:
    """Append them to a file, one JSON object a line."""
    if path:
        with path.open("a", encoding="utf-8") as lines:
            lines.writelines(json.dumps(asdict(one)) + "\n" for one in answers)


def figures(answers: Iterable[WrittenAnswer], chosen: Sequence[str]) -> dict[str, Any]:
    """By the name of a prompt: the share of right answers, mean seconds; and beside the first
    prompt, on the questions that both were asked, how much higher the share is, with its 95%
    interval."""
    by_prompt = {
        name: {one.question: one for one in answers if one.prompt == name} for name in chosen
    }
    found: dict[str, Any] = {}
    for name, of_name in by_prompt.items():
        if not of_name:
            continue
        found[name] = {
            "questions": len(of_name),
            "right": round(float(np.mean([one.right for one in of_name.values()])), 4),
            "seconds": round(float(np.mean([one.seconds for one in of_name.values()])), 3),
        }
        both = sorted(of_name.keys() & by_prompt[chosen[0]].keys())
        if name != chosen[0] and both:
            above = [of_name[n].right - int(by_prompt[chosen[0]][n].right) for n in both]
            found[name][f"above_{chosen[0]}"] = difference(np.array(above))
    return found


def difference(above: npt.NDArray[np.int64]) -> list[float]:
    """The mean of differences, and its 95% interval by bootstrap over questions."""
    draw = np.random.default_rng(0)
    drawn = above[draw.integers(0, len(above), (_DRAWN, len(above)))].mean(axis=1)
    low, high = np.percentile(drawn, (2.5, 97.5))
    return [round(float(one), 4) for one in (above.mean(), low, high)]
