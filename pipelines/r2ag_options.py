"""The command line of `train_r2ag`: options of both commands, of `train`, and of `measure`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from factmill.models.answering.r2former.lora_card import MAX_RANK, LoraSettings
from factmill.models.answering.r2former.shown_documents import LLM_SETTINGS
from factmill.models.answering.r2former.training_config import LEARNING_RATE, R2FormerTraining
from factmill.pipelines.cli.argument_types import count, positive, up_to
from factmill.pipelines.cli.line_parser import LineParser
from factmill.pipelines.r2ag_measurement import PROMPTS
from factmill.schemas.errors import OptionError


def _prompts(names: str) -> list[str]:
    """The names in `--prompts`."""
    chosen = names.split(",")
    if not set(chosen) <= set(PROMPTS):
        raise argparse.ArgumentTypeError(f"choose from {','.join(PROMPTS)}")
    return chosen


def _rank(text: str) -> int:
    """The rank in `--lora`, 0 for no adapter."""
    return 0 if text == "0" else up_to(MAX_RANK)(text)


def lora_settings(options: argparse.Namespace) -> LoraSettings | None:
    """Those of the adapter that `train` is to train, None for none. Raises OptionError."""
    if not options.lora:
        return None
    try:
        return LoraSettings(
            options.lora, options.lora_alpha or 2 * options.lora, options.lora_dropout
        )
    except ValueError as error:
        raise OptionError(f"--lora: {error}") from None


def r2ag_options(description: str | None, arguments: Sequence[str]) -> argparse.Namespace:
    """The options of `train` and `measure`. Raises OptionError."""
    parser = LineParser(description=description)
    commands = parser.add_subparsers(dest="command", required=True)
    train, measure = (commands.add_parser(name) for name in ("train", "measure"))
    train.add_argument("out", type=Path, metavar="OUT", help="folder for the R2-Former")
    for command in (train, measure):
        _shared(command)
    _train_options(train)
    _lora_options(train)
    _measure_options(measure)
    return parser.parse_args(arguments)


def _shared(command: argparse.ArgumentParser) -> None:
    """Adds the options of both commands: the store, the questions, the LLM."""
    command.add_argument("store", metavar="STORE", help="store in which the questions are searched")
    command.add_argument(
        "labelled", metavar="QUESTIONS.jsonl", help="questions with their answers and gold pages"
    )
    command.add_argument(
        "--llm-folder", type=Path, required=True, metavar="PATH",
        help="the LLM: a folder or a GGUF file",
    )  # fmt: skip
    command.add_argument(
        "--llm-settings", choices=list(LLM_SETTINGS), default="SmolLM2-135M-Instruct",
        help="how many documents the LLM is shown, and the like (default: %(default)s)",
    )  # fmt: skip
    command.add_argument(
        "--marks", type=Path, metavar="FILE",
        help="marks of relevant and other documents, from another training with this LLM",
    )  # fmt: skip
    command.add_argument(
        "--precision", choices=("float32", "bfloat16"),
        help="of the LLM (default: that of --llm-settings)",
    )  # fmt: skip
    command.add_argument(
        "--device", default="cpu", metavar="NAME",
        help="what the LLM computes on, by PyTorch's name (default: %(default)s)",
    )  # fmt: skip
    command.add_argument(
        "--questions", type=positive, default=500, metavar="N",
        help="questions to draw from the file (default: %(default)s)",
    )  # fmt: skip
    command.add_argument(
        "--seed", type=count, default=0, help="of all random numbers (default: %(default)s)"
    )


def _train_options(train: argparse.ArgumentParser) -> None:
    """Adds the options of `train`, in the order of its steps."""
    train.add_argument(
        "--relevance-epochs", type=count, default=12, metavar="N",
        help="epochs of the first step, relevance alone (default: %(default)s)",
    )  # fmt: skip
    train.add_argument(
        "--learning-rate", type=float, default=R2FormerTraining().learning_rate, metavar="RATE",
        help="of the first step (default: %(default)g)",
    )  # fmt: skip
    train.add_argument(
        "--mark-epochs", type=count, default=1, metavar="N",
        help="epochs of the second step, the two marks; 0 leaves it out (default: %(default)s)",
    )  # fmt: skip
    train.add_argument(
        "--words", nargs=2, metavar=("RELEVANT", "OTHER"), default=[" relevant", " irrelevant"],
        help="words whose vectors the marks begin as (default: ' relevant' ' irrelevant')",
    )  # fmt: skip
    train.add_argument(
        "--epochs", type=count, default=3, metavar="N",
        help="epochs of the last step, all together; 0 leaves it out (default: %(default)s)",
    )  # fmt: skip
    # A number of an embedding depends on 256 weights of the output map. So a step at this rate
    # moves it up to half as far as a step at the rate of marks (1e-2) moves a mark.
    train.add_argument(
        "--joint-rate", type=float, default=2e-5, metavar="RATE",
        help="learning rate of the last step (default: %(default)g)",
    )  # fmt: skip
    train.add_argument(
        "--joint-questions", type=positive, metavar="N",
        help="questions of the last two steps, which read them with the LLM (default: all)",
    )  # fmt: skip
    train.add_argument(
        "--start-from", type=Path, metavar="FOLDER",
        help="an R2-Former that was trained with this LLM: only the last part is trained",
    )  # fmt: skip
    train.add_argument(
        "--few", type=count, default=0, metavar="N",
        help="documents in three prompts of four, to save time; 0 shows all (default: %(default)s)",
    )  # fmt: skip
    train.add_argument(
        "--held-out", type=count, default=0, metavar="N",
        help="questions that only measure the models of --keep-every (default: %(default)s)",
    )  # fmt: skip
    train.add_argument(
        "--keep-every", type=count, default=0, metavar="N",
        help="steps between models kept in OUT/step-N; 0 keeps none (default: %(default)s)",
    )  # fmt: skip
    train.add_argument(
        "--seconds", type=float, default=float("inf"), metavar="S",
        help="end after so long; the same command goes on from there (default: no limit)",
    )  # fmt: skip


def _lora_options(train: argparse.ArgumentParser) -> None:
    """Adds the options of the LLM's adapter. Defaults are R2AG's values; its rate is that of the
    R2-Former.
    """
    lora = LoraSettings()
    train.add_argument(
        "--lora", type=_rank, default=0, metavar="RANK",
        help="rank of a LoRA adapter of the LLM's attention, which learns in the last part, such as"
        f" {lora.rank}, the paper's (default: none)",
    )  # fmt: skip
    train.add_argument(
        "--lora-alpha", type=positive, default=None, metavar="ALPHA",
        help="the adapter adds ALPHA / RANK of what it computes (default: twice the rank)",
    )  # fmt: skip
    train.add_argument(
        "--lora-dropout", type=float, default=lora.dropout, metavar="SHARE",
        help=f"of the adapter's inputs, in training (default: {lora.dropout})",
    )  # fmt: skip
    train.add_argument(
        "--lora-rate", type=float, default=LEARNING_RATE, metavar="RATE",
        help=f"learning rate of the adapter (default: {LEARNING_RATE:g})",
    )  # fmt: skip


def _measure_options(measure: argparse.ArgumentParser) -> None:
    """Adds the options of `measure`."""
    measure.add_argument(
        "--r2former", type=Path, metavar="FOLDER", help="the R2-Former to measure (default: none)"
    )
    measure.add_argument(
        "--prompts", type=_prompts, metavar="NAMES",
        help=f"of {','.join(PROMPTS)}; others are compared with the first (default: plain, and"
        " embeddings with --r2former or else gold)",
    )  # fmt: skip
    measure.add_argument(
        "--answers", type=Path, metavar="FILE.jsonl",
        help="keep what the LLM writes, and go on from there",
    )  # fmt: skip
    measure.add_argument(
        "--answer-tokens", type=positive, metavar="N",
        help="of an answer at most (default: that of --llm-settings)",
    )  # fmt: skip
    measure.add_argument(
        "--at-once", type=positive, default=1, metavar="N",
        help="questions between two lines of figures (default: %(default)s)",
    )  # fmt: skip
