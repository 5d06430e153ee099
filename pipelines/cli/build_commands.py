"""The commands that run jobs: from options to calls, and from results to text and JSON."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from factmill.models.text.entities import RULES, entity_finder, installed_pipeline
from factmill.pipelines.build import BuildResult, build
from factmill.pipelines.cli.unused_options import check_cost_options
from factmill.pipelines.llm_options import LLM, LlmOptions
from factmill.pipelines.open_build import nothing_to_do, published_manifest
from factmill.pipelines.plan import Plan, plan
from factmill.pipelines.report import report_file
from factmill.pipelines.retry import retry
from factmill.pipelines.runners.run_job import RunOptions
from factmill.pipelines.runners.runner_options import RemoteWorkers
from factmill.pipelines.runners.worker_errors import ClearErrors
from factmill.pipelines.settings import BuildOptions, BuildSettings, settings_for
from factmill.pipelines.store.lock import BUILD, Lease
from factmill.pipelines.store.page_check import PageCheck, real_path
from factmill.pipelines.store.publish_checks import (
    DEFAULT_MAX_DROP,
    Publishing,
    QualityCheck,
    published_id,
)
from factmill.runtime.evaluate import read_questions
from factmill.runtime.readers_lock import holding
from factmill.schemas.errors import OptionError, ReadOnlyStore
from factmill.schemas.layout import Store
from factmill.schemas.manifest import Manifest
from factmill.schemas.storage.paths import is_url
from factmill.schemas.tables import PROPOSITIONS_TABLE, QA_PAIRS_TABLE
from factmill.transforms.clean.clean_options import CleanOptions
from factmill.transforms.clean.item_limits import Limits
from factmill.transforms.clean.keep_missing import KEPT

# The result for a person, and for a program.
Output = tuple[str, dict[str, Any]]


def build_command(options: argparse.Namespace, beam_arguments: list[str]) -> Output:
    """`factmill build`."""
    if options.full and options.keep_missing:
        raise OptionError("--full reuses no pages, but --keep-missing keeps them: leave out one")
    store, settings, run_options = _what_to_build(options, beam_arguments)
    quality = _quality_check(options)
    try:
        with _alone_in(store, run_options, quality, _page_check(options)) as run_options:
            result = build(store, settings, run_options, options.full, options.retrain)
    except ReadOnlyStore:
        published = None if options.full or options.retrain else nothing_to_do(store, settings)
        if published is None:
            raise
        result = BuildResult(published, new=False)
    text = _summary(result.manifest)
    if not result.new:
        text = f"nothing new; {result.manifest.build_id} stays published"
    report = report_file(store.build(result.manifest.build_id))
    document = {"new": result.new, **_as_json(result.manifest), "report": str(report)}
    return f"{text}\nreport: {report}", document


def plan_command(options: argparse.Namespace, beam_arguments: list[str]) -> Output:
    """`factmill plan`."""
    check_cost_options(options)
    store, settings, run_options = _what_to_build(options, beam_arguments)
    try:
        with _alone_in(store, run_options) as run_options:
            planned = plan(store, settings, run_options, options.tokenizer, options.rate)
    except ReadOnlyStore:
        if nothing_to_do(store, settings) is None:
            raise
        planned = Plan(current=True)
    prices = options.price_in, options.price_out
    return planned.text(*prices), planned.as_json(*prices)


def retry_command(options: argparse.Namespace, beam_arguments: list[str]) -> Output:
    """`factmill retry`."""
    run_options = _run_options(options, beam_arguments)
    quality = _quality_check(options)
    options.store.published()
    with _alone_in(options.store, run_options, quality) as run_options:
        result = retry(options.store, run_options)
    text = f"asked again about {result.asked} segments\n{_summary(result.manifest)}"
    if not result.asked:
        text = f"nothing to retry; {result.manifest.build_id} stays published"
    return text, {"asked": result.asked, **_as_json(result.manifest)}


@contextmanager
def _alone_in(
    store: Store,
    run_options: RunOptions,
    quality: QualityCheck | None = None,
    pages: PageCheck | None = None,
) -> Iterator[RunOptions]:
    """Hold the store's lock, and its published build, which the new one reuses. Raises Locked when
    another process builds there, NoSpace when the disk fills up.
    """
    with ClearErrors(store), Lease.take(store, BUILD) as lease, ExitStack() as stack:
        published = published_id(store)
        if published:
            stack.enter_context(holding(store.build(published)))
        yield replace(run_options, publishing=Publishing(quality, pages, lease, published))


def _quality_check(options: argparse.Namespace) -> QualityCheck | None:
    """Raises OptionError when there are no questions in the file, or how far recall may fall is
    said without them.
    """
    max_drop = options.max_recall_drop
    if options.questions is None:
        if max_drop is not None:
            raise OptionError("--max-recall-drop needs --questions FILE.jsonl")
        return None
    read_questions(options.questions)
    return QualityCheck(options.questions, DEFAULT_MAX_DROP if max_drop is None else max_drop)


def _page_check(options: argparse.Namespace) -> PageCheck:
    """Input files that are named one by one are separate sources."""
    given = (
        real_path(pattern)
        for pattern in options.input
        if is_url(pattern) or Path(pattern).is_file()
    )
    return PageCheck(options.max_page_drop, frozenset(given))


def _what_to_build(
    options: argparse.Namespace, beam_arguments: list[str]
) -> tuple[Store, BuildSettings, RunOptions]:
    if options.train_encoder and not options.train_questions:
        raise OptionError("--train-encoder needs --train-questions FILE.jsonl")
    run_options = _run_options(options, beam_arguments)
    settings = settings_for(
        options.store, _build_options(options), published_manifest(options.store)
    )
    # A build that cannot start must not create a store.
    asks = options.command == "build"
    run_options.llm.check(settings.reader, asks, here=run_options.local)
    settings.check_encoders()
    if options.entities:
        entity_finder(options.entities)
    return options.store, settings, run_options


def _build_options(options: argparse.Namespace) -> BuildOptions:
    entities = options.entities
    if entities is None:
        entities = (installed_pipeline() if options.reader == LLM else None) or RULES
    return BuildOptions(
        inputs=options.input,
        follow_links=options.follow_links,
        reader=options.reader,
        llm_model=options.llm_model,
        encoder=options.encoder,
        code_bits=options.code_bits,
        shards=options.shards,
        cleaning=CleanOptions(
            options.languages,
            entities,
            options.near_duplicates,
            Limits(options.page_seconds, options.page_megabytes),
            options.strip_tokens,
            options.kinds,
        ),
        train_questions=options.train_questions,
        train_encoder=options.train_encoder,
        train_extractor=options.train_extractor,
        extractor_encoder=options.extractor_encoder,
        train_rewriter=options.train_rewriter,
        train_links=options.train_links,
        store_embeddings=options.store_embeddings,
        keep_missing=options.keep_missing,
    )


def _run_options(options: argparse.Namespace, beam_arguments: list[str]) -> RunOptions:
    """Raises OptionError when no job could run with these options. Workers of another runner have
    another working directory, so paths become absolute for them.
    """
    run_options = RunOptions(
        options.jobs,
        tuple(beam_arguments),
        LlmOptions.of(options),
        remote_workers=RemoteWorkers.of(options),
    )
    run_options.check()
    if not run_options.local:
        options.store = Store(options.store.root.absolute())
        if "input" in options:
            options.input = [
                os.path.abspath(pattern) if pattern and not is_url(pattern) else pattern
                for pattern in options.input
            ]
    return run_options


def _as_json(manifest: Manifest) -> dict[str, Any]:
    return {
        "build_id": manifest.build_id,
        "counts": {stage: count.as_json() for stage, count in manifest.counts.items()},
        "llm": manifest.llm,
        "timings": manifest.timings,
    }


def _summary(manifest: Manifest) -> str:
    clean, extract = manifest.counted("clean"), manifest.counted("extract")
    kept = clean.produced.get(KEPT, 0)
    units = sum(extract.produced[name] for name in (PROPOSITIONS_TABLE, QA_PAIRS_TABLE))
    lines = [
        f"published {manifest.build_id}",
        f"{clean.records_in} records: {clean.records_out} pages, {_rejects(clean.rejected)}"
        + (f"; {kept} of the records kept from {manifest.parent}" if kept else ""),
        f"{extract.records_in} segments: {units} units, {_rejects(extract.rejected)}",
    ]
    llm = manifest.llm
    if llm["segments_new"] or llm["segments_reused"]:
        items = manifest.counted("validate")
        lines += [
            f"{items.records_in} statements and questions: {_rejects(items.rejected)}",
            f"LLM: {llm['calls']} calls, {llm['tokens_new']} tokens for {llm['segments_new']}"
            f" segments; reused {llm['segments_reused']} segments ({llm['tokens_reused']} tokens)",
        ]
    return "\n".join(lines)


def _rejects(rejected: dict[str, int]) -> str:
    reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(rejected.items()))
    return f"{sum(rejected.values())} rejected" + (f" ({reasons})" if reasons else "")
