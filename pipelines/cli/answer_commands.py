"""The commands that answer: from options to a strategy with its LLM, and to what they return."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from factmill.pipelines.cli.output_files import check_writable
from factmill.runtime.answers.answer import Answer
from factmill.runtime.answers.answer_question import answer_async
from factmill.runtime.answers.evaluate_answers import (
    Figures,
    answer_all,
    answer_figures,
    write_answers,
)
from factmill.runtime.answers.question_llm import AnswerSettings, question_llm, token_counter
from factmill.runtime.answers.session import QuestionLimits
from factmill.runtime.evaluate import evaluate, gold_in, read_questions
from factmill.runtime.index import open_index
from factmill.schemas.errors import OptionError

T = TypeVar("T")
Ask = Callable[[str], Awaitable[Answer]]


def answer_command(options: argparse.Namespace) -> Answer:
    """The answer to `options.question`."""
    return asyncio.run(_with_llm(options, lambda ask: ask(options.question)))


def evaluate_strategy(options: argparse.Namespace) -> Figures:
    """Answers all of `options.questions`, writes the answers to `options.answers` when given."""
    if options.run:
        raise OptionError("--run is for the pages that a search finds; leave out --strategy")
    if options.answers:
        check_writable(options.answers, "--answers")
    questions = read_questions(options.questions, needs_gold=False)

    async def all_of(ask: Ask) -> list[Answer]:
        # Without an LLM nobody waits for anybody: a second thread would only take turns.
        at_once = options.llm_in_flight if options.llm_url else 1
        return await answer_all(questions, ask, at_once)

    answers = asyncio.run(_with_llm(options, all_of, checked=True))
    if options.answers:
        write_answers(options.answers, questions, answers)
    return answer_figures(questions, answers)


def evaluate_recall(options: argparse.Namespace) -> Figures:
    """How many of the gold pages of `options.questions` a search finds; writes `options.run` when
    given."""
    if options.answers:
        raise OptionError("--answers needs --strategy")
    if options.run:
        check_writable(options.run, "--run")
    questions = read_questions(options.questions)
    with open_index(options.store.root, options.check) as index:
        gold = gold_in([index], questions)
        if gold.total and not gold.measures:
            raise OptionError(f"--questions {options.questions}: only {gold.line()}")
        scores = evaluate(
            index, questions, options.depths, options.run, options.rerank, options.lexical
        )
        index.wait_until_checked()  # no figures of a damaged store
    scores["all"] |= {"gold_ids": gold.total, "gold_ids_found": gold.found}
    return scores


async def _with_llm(
    options: argparse.Namespace, work: Callable[[Ask], Awaitable[T]], checked: bool = False
) -> T:
    """Do work that asks; index and client of the LLM are closed afterwards. `checked` waits until
    the files are compared with the manifest."""
    settings = answer_settings(options)
    count = token_counter(settings.tokenizer)
    async with question_llm(settings) as llm:
        with open_index(options.store.root, options.check) as index:

            def ask(question: str) -> Awaitable[Answer]:
                return answer_async(question, index, llm, settings.strategy, settings.limits, count)

            done = await work(ask)
            if checked:
                index.wait_until_checked()
            return done


def answer_settings(options: argparse.Namespace) -> AnswerSettings:
    """What the options of `add_answer_options` say. Raises OptionError."""
    return AnswerSettings(
        options.strategy,
        options.llm_url,
        options.llm_model,
        options.llm_in_flight,
        options.llm_tokenizer,
        QuestionLimits(options.question_tokens, options.question_seconds),
    )
