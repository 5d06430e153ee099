"""Trains an R2-Former with a frozen LLM, and measures what the LLM answers with it and without.

    python -m factmill.pipelines.train_r2ag train OUT STORE QUESTIONS.jsonl --llm-folder FILE.gguf
        [--llm-settings SmolLM2-135M-Instruct] [--questions N] [--epochs N] [--seconds S]
        [--mark-epochs N] [--words RELEVANT OTHER] [--few N] [--keep-every N]
    python -m factmill.pipelines.train_r2ag measure STORE QUESTIONS.jsonl --llm-folder FILE.gguf
        [--r2former OUT] [--prompts plain,gold,embeddings,shuffled] [--questions N]

`train` learns relevance alone, then the two marks that the LLM reads best in front of relevant
documents and of others, then all of it together. It goes on where it was killed, or where
`--seconds` ended it, and keeps the model of every so many steps in OUT/step-N. `measure` prints the
share of questions whose answer stands in what the LLM writes: for the plain prompt, for one of the
gold documents alone, and with `--r2former` for the same prompt with embeddings, and with those of
features that went to another document.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from factmill.models.answering.r2former.frozen_llm import FrozenLlm
from factmill.models.answering.r2former.joint_training import train_jointly
from factmill.models.answering.r2former.list_features import LIST_FEATURES
from factmill.models.answering.r2former.llm_training_steps import StepLosses
from factmill.models.answering.r2former.mark_training import learn_marks
from factmill.models.answering.r2former.r2former import R2Former, R2FormerCard
from factmill.models.answering.r2former.r2former_training import save_r2former, train_relevance
from factmill.models.answering.r2former.retrieval_prompt import retrieval_prompt
from factmill.models.answering.r2former.shown_documents import LLM_SETTINGS
from factmill.models.answering.r2former.shown_example import ShownExample
from factmill.models.answering.r2former.training_config import JointTraining, R2FormerTraining
from factmill.models.encoding.batching import Floats
from factmill.pipelines.shown_examples import shown_examples
from factmill.runtime.evaluate import normalised, read_questions
from factmill.runtime.opening import open_index
from factmill.schemas.errors import OptionError
from factmill.schemas.libraries import installed
from factmill.schemas.storage.paths import parse_storage_path

STATE, MARKS, LOSSES = "training.safetensors", "marks.safetensors", "losses.jsonl"
_BATCH, _RANKINGS = 4, 32
# In bfloat16, a step through PyTorch's fused attention and back takes a fifth longer on a core.
_TRAINED_ATTENTION = "eager"
_PROMPTS = ("plain", "gold", "embeddings", "shuffled")
_EMBEDDED = _PROMPTS[2:]


def main() -> None:
    """Train, or measure."""
    options = _options()
    settings = LLM_SETTINGS[options.llm_settings]
    with open_index(options.store) as index:
        encoder = index.encoder
        examples = shown_examples(
            index, read_questions(parse_storage_path(options.labelled)), settings.documents,
            options.questions, options.seed,
        )  # fmt: skip
    llm = FrozenLlm.load(
        options.llm_folder, options.precision or settings.precision,
        _TRAINED_ATTENTION if options.command == "train" else "sdpa",
    )  # fmt: skip
    if options.command == "train":
        _train(options, examples, llm, encoder)
    else:
        _measure(options, examples, llm, settings.answer_tokens)


def _train(
    options: argparse.Namespace, examples: list[ShownExample], llm: FrozenLlm, encoder: str
) -> None:
    config = R2FormerTraining(
        documents=LLM_SETTINGS[options.llm_settings].documents, epochs=options.epochs,
        batch=_BATCH, learning_rate=options.learning_rate, seed=options.seed,
    )  # fmt: skip
    card = R2FormerCard(
        list(LIST_FEATURES), config.width, config.heads, config.hidden, config.documents, encoder,
        options.llm_settings, llm.width,
        {
            "questions": len(examples), "epochs": config.epochs, "batch": config.batch,
            "learning_rate": config.learning_rate, "dropout": config.dropout, "seed": config.seed,
            "mark_epochs": options.mark_epochs, "words": options.words, "few": options.few,
        },
        {}, [installed("torch"), installed("transformers")],
    )  # fmt: skip
    options.out.mkdir(parents=True, exist_ok=True)
    alone = train_relevance(
        replace(card, llm="", llm_width=0), [one.ranked for one in examples],
        replace(config, epochs=options.relevance_epochs, batch=_RANKINGS),
    )  # fmt: skip
    shown = examples[: options.joint_questions]
    began = time.monotonic()
    joint = JointTraining(llm.longest, tuple(options.words), options.few, options.seconds)
    marks, losses = learn_marks(
        card, shown, replace(config, epochs=options.mark_epochs), llm, joint, options.out / MARKS
    )
    _append_losses(options.out / LOSSES, "marks", losses)

    def keep(step: int, reached: dict[str, Floats]) -> None:
        if options.keep_every and step % options.keep_every == 0:
            save_r2former(options.out / f"step-{step}", card, reached)

    # Where the time was over before the marks were learned, none is left, and no step is taken.
    joint = replace(joint, seconds=options.seconds - (time.monotonic() - began))
    weights, losses = train_jointly(
        card, shown, config, llm, joint, options.out / STATE, alone, marks, keep
    )
    _append_losses(options.out / LOSSES, "joint", losses)
    save_r2former(options.out, card, weights)


def _append_losses(path: Path, stage: str, losses: list[StepLosses]) -> None:
    with path.open("a", encoding="utf-8") as lines:
        for one in losses:
            means = {name: round(loss, 4) for name, loss in one.losses.items()}
            line = {"stage": stage, "step": one.step, **means, "seconds": round(one.seconds, 1)}
            lines.write(json.dumps(line) + "\n")


def _measure(
    options: argparse.Namespace, examples: list[ShownExample], llm: FrozenLlm, most: int
) -> None:
    """Print how often each prompt is answered rightly, every ten questions."""
    model = R2Former.load(options.r2former) if options.r2former else None
    if model:
        model.check_llm(llm.width)
    chosen = options.prompts or (list(_PROMPTS) if model else list(_PROMPTS[:2]))
    right, seconds = dict.fromkeys(chosen, 0), dict.fromkeys(chosen, 0.0)
    for number, example in enumerate(examples, 1):
        for name in chosen:
            start = time.perf_counter()
            said = said_to(name, example, llm, model, most, options.seed + number)
            seconds[name] += time.perf_counter() - start
            right[name] += any(normalised(one) in normalised(said) for one in example.answers)
            if options.show:
                print(f"{name}: {example.answers[0]!r}  <-  {said!r}", file=sys.stderr)
        if number % 10 == 0 or number == len(examples):
            figures = {
                name: {
                    "right": round(right[name] / number, 4),
                    "seconds": round(seconds[name] / number, 3),
                }
                for name in chosen
            }
            print(json.dumps({"questions": number, **figures}), flush=True)


def said_to(
    prompt: str,
    example: ShownExample,
    llm: FrozenLlm,
    model: R2Former | None,
    most: int,
    seed: int,
) -> str:
    """What the LLM writes to a question in a prompt of this name. Raises OptionError without the
    model that it needs."""
    documents, features = list(example.documents), example.ranked.features
    if prompt == "gold":
        documents = [documents[n] for n in example.ranked.relevant.nonzero()[0]]
    if prompt == "shuffled":
        features = np.random.default_rng(seed).permutation(features)
    embedded = prompt in _EMBEDDED
    if embedded and model is None:
        raise OptionError(f"--prompts {prompt}: give --r2former")
    tokens = retrieval_prompt(
        example.question, documents, llm.tokenise, llm.turn, llm.longest - most, embedded
    )
    embeddings = model.embeddings(features) if embedded and model else None
    return llm.written(llm.vectors(tokens, embeddings), most).text


def _prompts(names: str) -> list[str]:
    """Of `--prompts`. Raises ValueError for one that there is not."""
    chosen = names.split(",")
    if not set(chosen) <= set(_PROMPTS):
        raise ValueError(names)
    return chosen


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    train, measure = (commands.add_parser(name) for name in ("train", "measure"))
    train.add_argument("out", type=Path)
    for command in (train, measure):
        command.add_argument("store")
        command.add_argument("labelled", metavar="QUESTIONS.jsonl")
        command.add_argument("--llm-folder", type=Path, required=True)
        command.add_argument(
            "--llm-settings", choices=list(LLM_SETTINGS), default="SmolLM2-135M-Instruct"
        )
        command.add_argument("--precision", choices=("float32", "bfloat16"))
        command.add_argument("--questions", type=int, default=500)
        command.add_argument("--seed", type=int, default=0)
    train.add_argument("--epochs", type=int, default=3)
    train.add_argument("--relevance-epochs", type=int, default=12)
    train.add_argument("--joint-questions", type=int, default=None, metavar="N")
    train.add_argument("--learning-rate", type=float, default=R2FormerTraining().learning_rate)
    train.add_argument("--mark-epochs", type=int, default=1)
    train.add_argument(
        "--words", nargs=2, metavar=("RELEVANT", "OTHER"), default=[" relevant", " irrelevant"]
    )
    train.add_argument("--few", type=int, default=0, metavar="N")
    train.add_argument("--keep-every", type=int, default=0, metavar="N")
    train.add_argument("--seconds", type=float, default=float("inf"))
    measure.add_argument("--r2former", type=Path)
    measure.add_argument("--prompts", type=_prompts, metavar="NAMES")
    measure.add_argument("--show", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
