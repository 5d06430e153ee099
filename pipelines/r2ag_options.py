"""The command line of `train_r2ag`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from factmill.models.answering.r2former.lora_card import MOST_RANK, LoraSettings
from factmill.models.answering.r2former.shown_documents import LLM_SETTINGS
from factmill.models.answering.r2former.training_config import LEARNING_RATE, R2FormerTraining
from factmill.pipelines.cli.argument_types import positive, up_to
from factmill.pipelines.r2ag_measurement import PROMPTS
from factmill.schemas.errors import OptionError


def _prompts(names: str) -> list[str]:
    """The names in `--prompts`. Raises ValueError for an unknown one."""
    chosen = names.split(",")
    if not set(chosen) <= set(PROMPTS):
        raise ValueError(names)
    return chosen


def _rank(text: str) -> int:
    """The rank in `--lora`, 0 for no adapter."""
    return 0 if text == "0" else up_to(MOST_RANK)(text)


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


def r2ag_options(
    description: str | None, arguments: Sequence[str] | None = None
) -> argparse.Namespace:
    """The options of `train` and `measure`, from `arguments` or else those of the process."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
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
        command.add_argument("--marks", type=Path, metavar="FILE")
        command.add_argument("--precision", choices=("float32", "bfloat16"))
        command.add_argument("--device", default="cpu")
        command.add_argument("--questions", type=int, default=500)
        command.add_argument("--seed", type=int, default=0)
    train.add_argument("--epochs", type=int, default=3)
    train.add_argument("--relevance-epochs", type=int, default=12)
    train.add_argument("--joint-questions", type=int, default=None, metavar="N")
    train.add_argument("--learning-rate", type=float, default=R2FormerTraining().learning_rate)
    # A number of an embedding depends on 256 weights of the output map. So a step at this rate
    # moves it up to half as far as a step at the rate of marks (1e-2) moves a mark.
    train.add_argument("--joint-rate", type=float, default=2e-5)
    train.add_argument("--mark-epochs", type=int, default=1)
    train.add_argument(
        "--words", nargs=2, metavar=("RELEVANT", "OTHER"), default=[" relevant", " irrelevant"]
    )
    train.add_argument(
        "--start-from", type=Path, metavar="FOLDER",
        help="an R2-Former that was trained with this LLM: only the last part is trained",
    )  # fmt: skip
    # R2AG's values; its rate is that of the R2-Former.
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
    train.add_argument("--held-out", type=int, default=0, metavar="N")
    train.add_argument("--few", type=int, default=0, metavar="N")
    train.add_argument("--keep-every", type=int, default=0, metavar="N")
    train.add_argument("--seconds", type=float, default=float("inf"))
    measure.add_argument("--r2former", type=Path)
    measure.add_argument("--prompts", type=_prompts, metavar="NAMES")
    measure.add_argument("--answers", type=Path, metavar="FILE.jsonl")
    measure.add_argument("--answer-tokens", type=positive, metavar="N")
    measure.add_argument("--at-once", type=positive, default=1, metavar="N")
    return parser.parse_args(arguments)
