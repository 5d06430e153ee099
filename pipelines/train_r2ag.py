"""Trains an R2-Former with an LLM, and measures the LLM's answers with it and without.

    python -m factmill.pipelines.train_r2ag train OUT STORE QUESTIONS.jsonl --llm-folder FILE.gguf
        [--llm-settings SmolLM2-135M-Instruct] [--questions N] [--epochs N] [--seconds S]
        [--mark-epochs N] [--words RELEVANT OTHER | --marks FILE | --start-from FOLDER] [--few N]
        [--lora RANK] [--keep-every N] [--held-out N] [--device cuda]
    python -m factmill.pipelines.train_r2ag measure STORE QUESTIONS.jsonl --llm-folder FILE.gguf
        [--r2former OUT] [--marks FILE] [--prompts plain,gold,embeddings,shuffled,marks,plain-lora]
        [--questions N] [--answers FILE.jsonl] [--at-once N]

`train` has three steps: relevance alone; the two marks that help the LLM most before relevant and
before irrelevant documents; then everything together. With `--lora`, an adapter of the LLM, which
stays as it is otherwise, learns in the third. `--start-from` takes the third alone, from an
R2-Former that there is. It resumes after being killed or ended by `--seconds`. `--keep-every N`
keeps the model of every N-th step in OUT/step-N. OUT/losses.jsonl has the losses of every step, and
those of `--held-out` questions for each kept model.

`measure` prints how often the LLM answers each prompt correctly (`r2ag_measurement.py`), compared
with the first prompt. `--answers` stores what the LLM writes; a later run continues from there.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

from torch import Tensor

from factmill.models.answering.r2former.frozen_llm import FrozenLlm
from factmill.models.answering.r2former.held_out_losses import held_out_losses
from factmill.models.answering.r2former.joint_training import train_jointly
from factmill.models.answering.r2former.list_features import LIST_FEATURES
from factmill.models.answering.r2former.llm_training_run import LlmTrainingRun
from factmill.models.answering.r2former.llm_training_steps import StepLosses
from factmill.models.answering.r2former.lora_adapter import LoraAdapter
from factmill.models.answering.r2former.lora_card import LoraSettings
from factmill.models.answering.r2former.mark_training import (
    learn_marks,
    learned_marks,
    marks_of_words,
)
from factmill.models.answering.r2former.r2former import R2Former, R2FormerCard, weight_shapes
from factmill.models.answering.r2former.r2former_training import save_r2former, train_r2former
from factmill.models.answering.r2former.shown_documents import LLM_SETTINGS
from factmill.models.answering.r2former.shown_example import ShownExample
from factmill.models.answering.r2former.training_config import (
    JointTraining,
    R2FormerTraining,
    RankedExample,
)
from factmill.models.arrays import Floats
from factmill.pipelines.cli.exit_codes import OutputFormat, exit_code
from factmill.pipelines.r2ag_measurement import (
    MeasuredLlm,
    figures,
    keep_answers,
    kept_answers,
)
from factmill.pipelines.r2ag_options import lora_settings, r2ag_options
from factmill.pipelines.shown_examples import shown_examples
from factmill.runtime.evaluate import read_questions
from factmill.runtime.opening import open_index
from factmill.schemas.errors import ModelMismatch, OptionError
from factmill.schemas.libraries import installed
from factmill.schemas.storage.paths import parse_storage_path

STATE, MARKS, LOSSES = "training.safetensors", "marks.safetensors", "losses.jsonl"
_BATCH, _RANKINGS = 4, 32
# In bfloat16, a step through PyTorch's fused attention and back takes a fifth longer on a core.
_TRAINED_ATTENTION = "eager"


def main(arguments: Sequence[str] | None = None) -> int:
    """Train or measure, and return the exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    resumes = list(given[:1]) == ["train"]
    return exit_code("train_r2ag", partial(_run, given), OutputFormat(), resumes)


def _run(arguments: Sequence[str]) -> int:
    options = r2ag_options(__doc__, arguments)
    settings = LLM_SETTINGS[options.llm_settings]
    labelled = read_questions(parse_storage_path(options.labelled), "QUESTIONS.jsonl")
    llm = FrozenLlm.load(
        options.llm_folder, options.precision or settings.precision,
        _TRAINED_ATTENTION if options.command == "train" else "sdpa", options.device,
    )  # fmt: skip
    with open_index(options.store) as index:
        encoder = index.encoder
        examples = shown_examples(
            index, labelled, settings.documents, options.questions, options.seed
        )
    if not examples:
        raise OptionError(f"QUESTIONS.jsonl {options.labelled}: the store answers none of them")
    if options.command == "train":
        train(options, examples, llm, encoder)
    else:
        measure(options, examples, llm, options.answer_tokens or settings.answer_tokens)
    return 0


def train(
    options: argparse.Namespace, examples: list[ShownExample], llm: FrozenLlm, encoder: str
) -> None:
    """Train on the examples, except the first `--held-out` ones, which are only measured. `encoder`
    is the fingerprint of the encoder of the examples' features.
    """
    config = R2FormerTraining(
        documents=LLM_SETTINGS[options.llm_settings].documents, epochs=options.epochs,
        batch=_BATCH, learning_rate=options.learning_rate, seed=options.seed,
    )  # fmt: skip
    held_out, examples = examples[: options.held_out], examples[options.held_out :]
    lora = lora_settings(options)
    card = _card(options, config, lora, len(examples), encoder, llm.width)
    options.out.mkdir(parents=True, exist_ok=True)
    log = partial(_append_losses, options.out / LOSSES)
    began, processor = time.monotonic(), time.process_time()
    joint = JointTraining(llm.longest, options.few, options.seconds, options.lora_rate)
    run = LlmTrainingRun(
        card, llm, examples[: options.joint_questions], config, joint, options.out / STATE,
        partial(log, "joint"),
    )  # fmt: skip
    marks_run = replace(
        run, config=replace(config, epochs=options.mark_epochs), state=options.out / MARKS,
        report=partial(log, "marks"),
    )  # fmt: skip
    start, marks = _start(options, marks_run, [one.ranked for one in examples])
    # Not before: what learns marks is the LLM alone.
    adapter = LoraAdapter(llm, lora, config.seed) if lora else None

    def keep(count: int, reached: dict[str, Floats]) -> None:
        if not options.keep_every or count % options.keep_every:
            return
        _save(options.out / f"step-{count}", card, reached, adapter)
        if held_out:
            losses = held_out_losses(llm, R2Former(card, reached), held_out, llm.longest)
            seconds = time.monotonic() - began, time.process_time() - processor
            log("held out", StepLosses(count, losses, *seconds))

    # If learning the marks took all the time, none is left, and no further step is taken.
    joint = replace(joint, seconds=options.seconds - (time.monotonic() - began))
    run = replace(run, config=replace(config, learning_rate=options.joint_rate), joint=joint)
    weights = train_jointly(run, start, marks, keep, adapter)
    _save(options.out, card, weights, adapter)


def _card(
    options: argparse.Namespace, config: R2FormerTraining, lora: LoraSettings | None,
    questions: int, encoder: str, width: int,
) -> R2FormerCard:  # fmt: skip
    training = {
        "questions": questions, "epochs": config.epochs, "batch": config.batch,
        "learning_rate": config.learning_rate, "dropout": config.dropout, "seed": config.seed,
        "mark_epochs": options.mark_epochs, "words": options.words, "few": options.few,
        "joint_rate": options.joint_rate, "marks": str(options.marks or ""),
    }  # fmt: skip
    made_with = [installed("torch"), installed("transformers")]
    if options.start_from:
        training["start_from"] = options.start_from.name
    if lora:
        training["lora"] = {**asdict(lora), "learning_rate": options.lora_rate}
        made_with.append(installed("peft"))
    return R2FormerCard(
        list(LIST_FEATURES), config.width, config.heads, config.hidden, config.documents, encoder,
        options.llm_settings, width, training, {}, made_with,
    )  # fmt: skip


def _start(
    options: argparse.Namespace, marks_run: LlmTrainingRun, ranked: Sequence[RankedExample]
) -> tuple[Mapping[str, Floats], Tensor | None]:
    """What the last part begins with: the weights of `--start-from`; or those of a training for
    relevance alone on `ranked`, and marks. Raises OptionError, and ModelMismatch for a start of
    another LLM, encoder or shape.
    """
    card, llm = marks_run.card, marks_run.llm
    if options.start_from:
        if options.marks:
            raise OptionError("--start-from FOLDER has its embeddings; leave out --marks")
        start = R2Former.load(options.start_from)
        start.check_llm(llm.width)
        start.check_encoder(card.encoder)
        if dict(weight_shapes(start.card)) != dict(weight_shapes(card)):
            raise ModelMismatch(f"--start-from {options.start_from}: an R2-Former of another shape")
        return start.weights, None
    alone = train_r2former(
        replace(card, llm="", llm_width=0), ranked,
        replace(marks_run.config, epochs=options.relevance_epochs, batch=_RANKINGS),
    )  # fmt: skip
    first = (
        learned_marks(options.marks, llm.width) if options.marks
        else marks_of_words(llm, *options.words)
    )  # fmt: skip
    return alone, learn_marks(marks_run, first)


def _save(
    folder: Path, card: R2FormerCard, weights: dict[str, Floats], adapter: LoraAdapter | None
) -> None:
    """Write a model, and the LLM's adapter that belongs to it. The card is last."""
    lora = adapter.save(folder) if adapter else None
    save_r2former(folder, replace(card, lora=lora), weights)


def _append_losses(path: Path, stage: str, one: StepLosses) -> None:
    means = {name: round(loss, 4) for name, loss in one.losses.items()}
    line = {
        "stage": stage, "step": one.step, **means, "seconds": round(one.seconds, 1),
        "processor_seconds": round(one.processor_seconds, 1),
    }  # fmt: skip
    with path.open("a", encoding="utf-8") as lines:
        lines.write(json.dumps(line) + "\n")


def measure(
    options: argparse.Namespace, examples: list[ShownExample], llm: FrozenLlm, most: int
) -> None:
    """Print the figures of each prompt after every batch of questions."""
    model = R2Former.load(options.r2former) if options.r2former else None
    if model:
        model.check_llm(llm.width)
    marks = learned_marks(options.marks, llm.width) if options.marks else None
    chosen = options.prompts or ("plain", "embeddings" if model else "gold")
    adapter = (
        LoraAdapter.load(llm, options.r2former, model.card.lora)
        if model and model.card.lora else None
    )  # fmt: skip
    measured = MeasuredLlm(llm, model, marks, most, options.seed, adapter)
    answers = kept_answers(options.answers)
    written = {(one.prompt, one.question) for one in answers}
    for first in range(0, len(examples), options.at_once):
        numbers = range(len(examples))[first : first + options.at_once]
        for name in chosen:
            asked = [number for number in numbers if (name, number) not in written]
            if asked:
                now = measured.answers(name, asked, examples)
                keep_answers(options.answers, now)
                answers += now
        print(json.dumps(figures(answers, chosen)), flush=True)


if __name__ == "__main__":
    sys.exit(main())
