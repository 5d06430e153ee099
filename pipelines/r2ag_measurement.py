"""Measures how often a frozen LLM answers correctly, with several prompts for the same questions.

    question, documents -> each prompt -> the LLM's text -> does it contain an answer?

`plain` shows the documents alone, `gold` only the gold ones. The others put an embedding before
each document: `embeddings` those of an R2-Former, `shuffled` those of another document's features,
`marks` the two of `learn_marks`, chosen by labels, which is what perfect relevance would reach.
The LLM reads `embeddings` and `shuffled` with the R2-Former's LoRA adapter, if it has one, and all
else without. `plain-lora` is `plain`, read with the adapter.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from factmill.models.answering.r2former.frozen_llm import FrozenLlm
from factmill.models.answering.r2former.lora_adapter import LoraAdapter
from factmill.models.answering.r2former.r2former import R2Former
from factmill.models.answering.r2former.retrieval_prompt import retrieval_prompt
from factmill.models.answering.r2former.shown_example import ShownExample
from factmill.models.answering.words.answer_words import holds_answer
from factmill.models.arrays import Integers
from factmill.schemas.errors import OptionError
from factmill.schemas.storage.atomic import write_text

_PLAIN_LORA = "plain-lora"
PROMPTS = ("plain", "gold", "embeddings", "shuffled", "marks", _PLAIN_LORA)
_EMBEDDED = ("embeddings", "shuffled", "marks")
_ADAPTED = ("embeddings", "shuffled", _PLAIN_LORA)
_DRAWN = 2000


@dataclass(frozen=True, slots=True)
class WrittenAnswer:
    """The LLM's `text` for question number `question`; `right` if it contains an answer. The
    seconds, wall-clock and processor, are the means of its batch.
    """

    prompt: str
    question: int
    right: bool
    text: str
    gold: str
    seconds: float
    processor_seconds: float


@dataclass(frozen=True, slots=True)
class MeasuredLlm:
    """An LLM that writes at most `most` tokens, with the R2-Former and the marks that some prompts
    need. `marks` is a tensor of shape (2, width): of irrelevant documents, then of relevant ones.
    `adapter` is that of the R2-Former, beside the LLM.
    """

    llm: FrozenLlm
    model: R2Former | None
    marks: Any
    most: int
    seed: int
    adapter: LoraAdapter | None = None

    def answers(
        self, prompt: str, numbers: Sequence[int], examples: Sequence[ShownExample]
    ) -> list[WrittenAnswer]:
        """The answers to the questions with these numbers, in one batch. Raises OptionError if the
        prompt needs an R2-Former, an adapter or marks that were not given.
        """
        if prompt == _PLAIN_LORA and self.adapter is None:
            raise OptionError(f"--prompts {prompt} needs --r2former FOLDER with a LoRA adapter")
        began, processor = time.perf_counter(), time.process_time()
        vectors = [self.vectors(prompt, examples[n], self.seed + n + 1) for n in numbers]
        beside = None if prompt in _ADAPTED else self.adapter
        with beside.left_out() if beside else nullcontext():
            said = [one.text for one in self.llm.written_together(vectors, self.most)]
        seconds = (time.perf_counter() - began) / len(said)
        processor = (time.process_time() - processor) / len(said)
        return [
            WrittenAnswer(
                prompt, n, any(holds_answer(text, answer) for answer in examples[n].answers),
                text, examples[n].answers[0], round(seconds, 3), round(processor, 3),
            )
            for n, text in zip(numbers, said, strict=True)
        ]  # fmt: skip

    def vectors(self, prompt: str, example: ShownExample, seed: int) -> Any:
        """The input vectors of the LLM for an example."""
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
                raise OptionError("--prompts marks needs --marks FILE")
            return self.marks[example.ranked.relevant.astype(int)]
        if self.model is None:
            raise OptionError(f"--prompts {prompt} needs --r2former FOLDER")
        features = example.ranked.features
        if prompt == "shuffled":
            features = np.random.default_rng(seed).permutation(features)
        return self.model.embeddings(features)


def kept_answers(path: Path | None) -> list[WrittenAnswer]:
    """The answers in a file that `keep_answers` wrote; none without such a file. Removes the rest
    of an answer that a killed run was writing. Raises OptionError for another file, and leaves it
    as it is.
    """
    if path is None or not path.is_file():
        return []
    try:
        text = path.read_text(encoding="utf-8")
        whole = text[: text.rfind("\n") + 1]
        answers = [WrittenAnswer(**json.loads(line)) for line in whole.splitlines()]
    except (OSError, ValueError, TypeError) as error:
        raise OptionError(f"--answers {path}: not answers of `measure` ({error})") from None
    if whole != text:
        write_text(path, whole)
    return answers


def keep_answers(path: Path | None, answers: Iterable[WrittenAnswer]) -> None:
    """Append the answers to a file, one JSON object a line."""
    if path:
        with path.open("a", encoding="utf-8") as lines:
            lines.writelines(json.dumps(asdict(one)) + "\n" for one in answers)


def figures(answers: Iterable[WrittenAnswer], chosen: Sequence[str]) -> dict[str, Any]:
    """Figures by prompt: the share of right answers, the mean seconds, and how much higher than the
    first prompt's the share is on the questions that both have, with its 95% interval.
    """
    by_prompt = {
        name: {one.question: one for one in answers if one.prompt == name} for name in chosen
    }
    by_name: dict[str, Any] = {}
    for name, of_name in by_prompt.items():
        if not of_name:
            continue
        by_name[name] = {
            "questions": len(of_name),
            "right": round(float(np.mean([one.right for one in of_name.values()])), 4),
            "seconds": round(float(np.mean([one.seconds for one in of_name.values()])), 3),
        }
        both = sorted(of_name.keys() & by_prompt[chosen[0]].keys())
        if name != chosen[0] and both:
            above = [of_name[n].right - int(by_prompt[chosen[0]][n].right) for n in both]
            by_name[name][f"above_{chosen[0]}"] = difference(np.array(above))
    return by_name


def difference(above: Integers) -> list[float]:
    """The mean of differences, and its 95% interval by bootstrap over questions."""
    draw = np.random.default_rng(0)
    drawn = above[draw.integers(0, len(above), (_DRAWN, len(above)))].mean(axis=1)
    low, high = np.percentile(drawn, (2.5, 97.5))
    return [round(float(one), 4) for one in (above.mean(), low, high)]
