"""Finds options that were given and would change nothing. Each is an error."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence

from factmill.pipelines.cli.argument_types import DEFAULT_CHECK
from factmill.pipelines.llm_options import LLM
from factmill.runtime.answers.answer_question import STRATEGIES, default_strategy
from factmill.schemas.errors import OptionError

# Options that only one strategy uses, and that strategy.
_OF_STRATEGY = {"max_steps": "hanrag", "knowledge_api": "hybrid", "llm_folder": "r2ag"}


def given_flags(options: argparse.Namespace, defaults: Mapping[str, object]) -> list[str]:
    """The flags of those of these options that do not have their defaults."""
    return [_flag(name) for name, default in defaults.items() if getattr(options, name) != default]


def check_answer_options(options: argparse.Namespace) -> None:
    """Raises OptionError for options of `answer` and `evaluate` that change no answer, or that need
    a store when there is none.
    """
    check_llm_options(options)
    check_strategy_options(options)
    if options.store is None and options.check != DEFAULT_CHECK:
        raise OptionError("--check needs STORE")
    strategy = STRATEGIES.get(options.strategy)
    if options.store is None and strategy is not None and strategy.reads_vectors:
        raise OptionError(f"--strategy {options.strategy} needs STORE")


def check_llm_options(options: argparse.Namespace) -> None:
    """Raises OptionError for options that do nothing without an LLM, when there is none."""
    has_llm, folder = bool(options.llm_url), getattr(options, "llm_folder", None)
    judge = getattr(options, "judge_url", "")
    needs_llm = {
        "llm_in_flight": not (has_llm or judge),
        "llm_tokenizer": not (has_llm or folder),
        "question_tokens": not (has_llm or folder),
        "knowledge_api": not has_llm,
    }
    _refuse(options, [name for name, unused in needs_llm.items() if unused], "--llm-url URL")


def check_strategy_options(options: argparse.Namespace) -> None:
    """Raises OptionError for options that the strategy does not use."""
    strategy = options.strategy or default_strategy(bool(options.llm_url))
    for name, user in _OF_STRATEGY.items():
        if strategy != user and hasattr(options, name):
            _refuse(options, [name], f"--strategy {user}")


def check_cost_options(options: argparse.Namespace) -> None:
    """Raises OptionError for options of `plan` about an LLM's tokens, when no LLM reads."""
    if options.reader != LLM:
        _refuse(options, ["tokenizer", "price_in", "price_out", "rate"], f"--reader {LLM}")


def _refuse(options: argparse.Namespace, names: Sequence[str], needed: str) -> None:
    for name in names:
        if getattr(options, name) not in (None, []):
            raise OptionError(f"{_flag(name)} needs {needed}")


def _flag(name: str) -> str:
    return "--no-lexical" if name == "lexical" else f"--{name.replace('_', '-')}"
