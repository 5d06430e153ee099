"""Options that control how questions are answered, shared by `answer` and `evaluate`."""

from __future__ import annotations

import argparse
from pathlib import Path

from factmill.pipelines.cli.argument_types import above_zero, positive, up_to
from factmill.pipelines.cli.llm_arguments import add_llm_url
from factmill.runtime.answers.answer_question import STRATEGIES
from factmill.runtime.answers.question_limits import TOKENS, QuestionLimits

DEFAULT_QUESTION_LIMITS = QuestionLimits()
DEFAULT_ANSWERING_IN_FLIGHT = 8
_SERVED = [name for name, one in STRATEGIES.items() if not one.reads_vectors]


def add_answer_options(command: argparse.ArgumentParser, serves: bool = False) -> None:
    """The strategy, its LLM, and limits for each question. These options have no defaults in the
    parser, so that `unused_options` sees which of them were given. A command that `serves` has
    the strategies of a service.
    """
    group = command.add_argument_group("answering")
    group.add_argument(
        "--strategy", choices=_SERVED if serves else list(STRATEGIES),
        type=_served if serves else str,
        help="how to answer (default: compactrag with --llm-url, else extractive)",
    )  # fmt: skip
    add_llm_url(group)
    group.add_argument(
        "--llm-model", default="", metavar="NAME", help="the model name on the LLM server"
    )
    group.add_argument(
        "--llm-tokenizer", type=Path, metavar="FILE",
        help="the LLM's tokenizer.json, to count tokens of prompts (default: they are estimated)",
    )  # fmt: skip
    group.add_argument(
        "--llm-in-flight", type=up_to(256), metavar="N",
        help=f"concurrent requests (default: {DEFAULT_ANSWERING_IN_FLIGHT})",
    )  # fmt: skip
    group.add_argument(
        "--question-tokens", type=positive, metavar="N",
        help=f"token limit of all calls for a question (default: {TOKENS}; hanrag:"
        f" {STRATEGIES['hanrag'].tokens})",
    )  # fmt: skip
    group.add_argument(
        "--max-steps", type=positive, metavar="N",
        help=f"consecutive searches of hanrag (default: {DEFAULT_QUESTION_LIMITS.steps})",
    )  # fmt: skip
    group.add_argument(
        "--question-seconds", type=above_zero, metavar="SECONDS",
        help="seconds after which a question is answered without the LLM"
        f" (default: {DEFAULT_QUESTION_LIMITS.seconds:g})",
    )  # fmt: skip
    group.add_argument(
        "--knowledge-api", action="append", default=[], metavar="FILE|URL|store",
        help="an OpenAPI document (JSON) whose functions the strategy hybrid may call, or"
        ' "store" for relations in tables and sentences of the store; may be repeated; a key is'
        " taken from FACTMILL_KNOWLEDGE_KEY",
    )  # fmt: skip


def add_retrieval_options(command: argparse.ArgumentParser) -> None:
    """The LLM of the strategy r2ag, which reads embeddings."""
    command.add_argument(
        "--llm-folder", type=Path, metavar="PATH",
        help="strategy r2ag: a folder that transformers reads, or a GGUF file; with --llm-url, the"
        " vLLM server there gets the embeddings",
    )  # fmt: skip
    command.add_argument(
        "--r2former", type=Path, metavar="FOLDER",
        help="strategy r2ag: the R2-Former that was trained with this LLM (default: that of the"
        " package, which was trained with SmolLM2-135M-Instruct)",
    )  # fmt: skip
    command.add_argument(
        "--device", metavar="NAME",
        help="strategy r2ag: the device of the LLM, by PyTorch's name, such as cuda (default: cpu)",
    )  # fmt: skip


def _served(name: str) -> str:
    """The strategy, unless a service cannot run it: then ArgumentTypeError says why."""
    if name in STRATEGIES and name not in _SERVED:
        raise argparse.ArgumentTypeError(
            f"{name} reads vectors, so it runs by answer and evaluate only"
        )
    return name
