"""The commands that answer questions: options become a strategy with its LLM; answers are
returned.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, closing, contextmanager, nullcontext
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from factmill.pipelines.cli.answer_arguments import (
    DEFAULT_ANSWERING_IN_FLIGHT,
    DEFAULT_QUESTION_LIMITS,
)
from factmill.pipelines.cli.argument_types import DEFAULT_DEPTHS
from factmill.pipelines.cli.output_files import check_writable, write_errors
from factmill.pipelines.cli.unused_options import check_answer_options, given_flags
from factmill.runtime.answers.answer import Answer
from factmill.runtime.answers.answer_judge import JudgeVerdict, judged, judged_figures
from factmill.runtime.answers.answer_question import answer_async
from factmill.runtime.answers.evaluate_answers import (
    Ask,
    answer_all,
    answer_figures,
    write_answers,
)
from factmill.runtime.answers.question_limits import QuestionLimits
from factmill.runtime.answers.question_llm import AnswerSettings, question_llm, token_counter
from factmill.runtime.answers.retrieval_llm import files_of, retrieval_llm
from factmill.runtime.answers.searched_pages import SearchedPages
from factmill.runtime.evaluate import Figures, Question, evaluate, gold_in, read_questions
from factmill.runtime.index import Index
from factmill.runtime.knowledge.given_sources import GivenSources
from factmill.runtime.opening import open_index
from factmill.runtime.search.scoring import Scoring
from factmill.schemas.errors import OptionError
from factmill.schemas.storage.paths import StoragePath

# The defaults of options of `evaluate` that only answering uses, and only searching.
_ANSWERING: dict[str, object] = {
    "answers": None, "judge_url": "", "judge_model": "", "llm_url": "", "llm_model": "",
    "llm_folder": None, "llm_tokenizer": None, "r2former": None, "device": None,
    "knowledge_api": [], "llm_in_flight": None, "question_tokens": None, "max_steps": None,
    "question_seconds": None,
}  # fmt: skip
_SEARCHING: dict[str, object] = {
    "run": None, "rerank": False, "lexical": True, "relevance": False, "depths": DEFAULT_DEPTHS
}  # fmt: skip
_KNOWLEDGE_KEY = "FACTMILL_KNOWLEDGE_KEY"

T = TypeVar("T")


def answer_command(options: argparse.Namespace) -> Answer:
    """The answer to `options.question`, from a store or from pages in memory."""
    if (options.store is None) == (options.pages is None):
        raise OptionError("answer: give STORE or --pages FILE.jsonl")
    check_answer_options(options)
    return asyncio.run(_with_llm(options, lambda ask: ask(options.question, None)))


def evaluate_strategy(options: argparse.Namespace) -> Figures:
    """Answer all of `options.questions`; write the answers to `options.answers` if given, those so
    far if the LLM or the judge refuses all requests, or Ctrl-C or SIGTERM stops the run.
    """
    for_searching = given_flags(options, _SEARCHING)
    if for_searching:
        raise OptionError(f"{for_searching[0]} is for searching; leave out --strategy")
    check_answer_options(options)
    if options.answers:
        check_writable(options.answers, "--answers")
    judge = _judge_settings(options)
    questions = read_questions(options.questions, needs_gold=False)
    with _terminated_as_interrupted(), _answers_kept(options.answers, questions) as so_far:
        if options.store is None:
            answers = asyncio.run(_of_own_pages(options, questions, so_far))
        else:
            answers = _of_store(options, questions, so_far)
        verdicts = asyncio.run(_judged(judge, questions, answers))
    if options.answers:
        with write_errors(options.answers, "--answers"):
            write_answers(options.answers, questions, answers, verdicts)
    figures = answer_figures(questions, answers)
    if verdicts:
        for group, of_group in judged_figures(questions, answers, verdicts).items():
            figures[group] |= of_group
    return figures


@contextmanager
def _terminated_as_interrupted() -> Iterator[None]:
    """SIGTERM stops the block as Ctrl-C does."""
    before = signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _answers_kept(path: Path | None, questions: Sequence[Question]) -> Iterator[dict[int, Answer]]:
    """A dict for answers, by the numbers of their questions. If the block ends with OptionError or
    KeyboardInterrupt, those in it are written to `path`.
    """
    answers: dict[int, Answer] = {}
    try:
        yield answers
    except (OptionError, KeyboardInterrupt):
        if path and answers:
            asked = [questions[number] for number in sorted(answers)]
            with write_errors(path, "--answers"):
                write_answers(path, asked, [answers[number] for number in sorted(answers)])
        raise


def _judge_settings(options: argparse.Namespace) -> AnswerSettings:
    """Settings of the LLM that judges, specified like one that answers. Raises OptionError."""
    if bool(options.judge_url) != bool(options.judge_model):
        raise OptionError("--judge-url URL and --judge-model NAME belong together")
    return AnswerSettings(None, options.judge_url, options.judge_model, _in_flight(options))


async def _judged(
    judge: AnswerSettings, questions: Sequence[Question], answers: Sequence[Answer]
) -> list[JudgeVerdict | None]:
    """The judge's verdict on each answer; empty without a judge."""
    async with question_llm(judge) as llm:
        return [] if llm is None else await judged(questions, answers, llm, judge.in_flight)


def _of_store(
    options: argparse.Namespace, questions: Sequence[Question], answers: dict[int, Answer]
) -> list[Answer]:
    async def all_of(ask: Ask) -> list[Answer]:
        # Without an LLM nothing waits on I/O, so a second thread would gain nothing.
        at_once = _in_flight(options) if options.llm_url else 1
        return await answer_all(questions, ask, at_once, answers)

    return asyncio.run(_with_llm(options, all_of, checked=True))


async def _of_own_pages(
    options: argparse.Namespace, questions: Sequence[Question], answers: dict[int, Answer]
) -> list[Answer]:
    """Every question answered from the pages that come with it, several at a time."""
    from factmill.pipelines.own_pages import own_pages

    settings = answer_settings(options)
    count, given = token_counter(settings.tokenizer), _given_sources(settings)
    at_once = _in_flight(options) if options.llm_url else 1
    async with question_llm(settings) as llm:
        # Closed by name: an error would keep its file open until garbage is collected.
        with closing(own_pages(options.questions, questions)) as pages:
            waiting = enumerate(pages)

            async def answer_waiting() -> None:
                for number, (question, index) in waiting:
                    answers[number] = await answer_async(
                        question.text, index, llm, settings.strategy, settings.limits, count,
                        asked_at=question.asked_at, knowledge=given.of(index),
                    )  # fmt: skip

            await asyncio.gather(*(answer_waiting() for _ in range(at_once)))
    return [answers[number] for number in sorted(answers)]


def evaluate_recall(options: argparse.Namespace) -> Figures:
    """How many gold pages of `options.questions` a search finds; writes `options.run` if given."""
    if options.store is None:
        raise OptionError("evaluate: give STORE, or --own-pages with --strategy")
    for_answering = given_flags(options, _ANSWERING)
    if for_answering:
        raise OptionError(f"{for_answering[0]} needs --strategy")
    if options.run:
        check_writable(options.run, "--run")
    questions = read_questions(options.questions)
    with open_index(options.store.root, options.check) as index:
        gold = gold_in([index], questions)
        if gold.total and not gold.measures:
            raise OptionError(f"--questions {options.questions}: only {gold.line()}")
        with write_errors(options.run, "--run") if options.run else nullcontext():
            scoring = Scoring(options.rerank, options.lexical, options.relevance)
            scores = evaluate(index, questions, options.depths, options.run, scoring)
        index.wait_until_checked()  # no figures of a damaged store
    scores["all"] |= {"gold_ids": gold.total, "gold_ids_found": gold.found}
    return scores


async def _with_llm(
    options: argparse.Namespace, work: Callable[[Ask], Awaitable[T]], checked: bool = False
) -> T:
    """Call `work` with a function that answers questions, and close the index and the LLM client
    afterwards. With `checked`, first wait until the files have been compared with the manifest.
    """
    settings = answer_settings(options)
    count, given = token_counter(settings.tokenizer), _given_sources(settings)
    async with AsyncExitStack() as stack:
        llm = await stack.enter_async_context(question_llm(settings))
        reading = await stack.enter_async_context(
            retrieval_llm(
                settings.retrieval_files, settings.llm_url, settings.llm_model, settings.in_flight
            )
        )
        if options.store is None:
            index: SearchedPages = _pages_of(options.pages)
        else:
            index = stack.enter_context(open_index(options.store.root, options.check))

        def ask(question: str, asked_at: datetime | None) -> Awaitable[Answer]:
            return answer_async(
                question, index, llm, settings.strategy, settings.limits, count,
                asked_at=asked_at, knowledge=given.of(index), retrieval_llm=reading,
            )  # fmt: skip

        done = await work(ask)
        if checked and isinstance(index, Index):
            index.wait_until_checked()
        return done


def answer_settings(options: argparse.Namespace) -> AnswerSettings:
    """The values of the options of `add_answer_options`. Raises OptionError."""
    return AnswerSettings(
        options.strategy,
        options.llm_url,
        options.llm_model,
        _in_flight(options),
        options.llm_tokenizer,
        QuestionLimits(
            options.question_tokens,
            options.question_seconds or DEFAULT_QUESTION_LIMITS.seconds,
            options.max_steps or DEFAULT_QUESTION_LIMITS.steps,
        ),
        tuple(options.knowledge_api),
        os.environ.get(_KNOWLEDGE_KEY, ""),
        files_of(*(getattr(options, name, None) for name in ("llm_folder", "r2former", "device"))),
    )


def _in_flight(options: argparse.Namespace) -> int:
    return options.llm_in_flight or DEFAULT_ANSWERING_IN_FLIGHT


def _pages_of(path: StoragePath) -> SearchedPages:
    """An in-memory index of the pages of a file. Raises OptionError."""
    from factmill.pipelines.pages_in_memory import pages_in_memory
    from factmill.transforms.inputs.discovery import input_file, plan_splits
    from factmill.transforms.inputs.read_split import read_split

    if path.is_dir():
        raise OptionError(f"--pages {path}: a folder; give one file, or build a store of it")
    try:
        splits = plan_splits([input_file(path)])
    except OSError as error:
        raise OptionError(f"--pages {path}: {error}") from None
    records = (record for split in splits for record in read_split(split))
    return pages_in_memory(records, f"--pages {path}")


def _given_sources(settings: AnswerSettings) -> GivenSources:
    """The knowledge sources that the options name. Raises OptionError."""
    return GivenSources(settings.knowledge, settings.knowledge_key)
