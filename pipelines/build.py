"""The whole build, from input files to CURRENT: `run_jobs` is the chain of all jobs.

Each job skips its finished tasks, so a killed build resumes. Each job reuses results of the parent,
which is the published build. A night with nothing new publishes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from factmill.pipelines.clean import clean
from factmill.pipelines.compose import compose
from factmill.pipelines.encode import encode
from factmill.pipelines.extract import extract
from factmill.pipelines.index import index
from factmill.pipelines.job import Job
from factmill.pipelines.learn import learn
from factmill.pipelines.learn_links import learn_links
from factmill.pipelines.open_build import (
    brought_answers,
    is_current,
    nothing_new,
    open_job,
    published_manifest,
    waits_for_answers,
)
from factmill.pipelines.progress.display import progress_display
from factmill.pipelines.publish import publish
from factmill.pipelines.rolled_back_pages import check_cleaned_pages
from factmill.pipelines.run_stage import StageRunner
from factmill.pipelines.runners.run_job import RunOptions
from factmill.pipelines.settings import BuildSettings
from factmill.pipelines.shared_pages import share_pages
from factmill.pipelines.store.rolled_back_builds import check_not_rolled_back
from factmill.schemas.layout import Store
from factmill.schemas.manifest import Manifest
from factmill.schemas.storage.atomic import discard, write_text


def run_jobs(job: Job, cleaned: bool = False, needs_answers: bool = False) -> Manifest | None:
    """Run every job and publish. Publishes nothing and returns None if cleaning finds the parent's
    pages again and no segment without an LLM's answer gets one now. Raises NotPublished if it finds
    those of a build that was rolled back.

    `cleaned` means that the tables of the first job exist; `needs_answers`, that they equal the
    parent's, so only new answers of an LLM justify a build.
    """
    with progress_display() as display:
        stages = StageRunner(job, display)

        # Pages with their main text, cut into segments of text and tables.
        # input files -> 10_pages, 11_segments, 12_captures, 19_rejects
        if not cleaned:
            stages.run("clean", clean)
            needs_answers = nothing_new(job)
            if not needs_answers:
                check_cleaned_pages(job)
            elif not waits_for_answers(job.parent, job.settings):
                return None

        # The facts that each segment states, as propositions and QA pairs, by rules or an LLM.
        # 10_pages, 11_segments -> 20_propositions, 21_qa_pairs, 29_rejects
        stages.run("extract", extract)
        if needs_answers and not brought_answers(job):
            return None

        # Questions about several facts, composed from QA pairs.
        # 10_pages, 21_qa_pairs -> 22_composed_questions
        stages.run("compose", compose)

        # The hash function from embeddings to codes, learned or taken from the parent.
        # 10_pages, 20_propositions, 21_qa_pairs -> 30_models
        stages.run("learn", learn)

        # An embedding and a code for each segment, proposition and pair.
        # 10_pages, 11_segments, 20_propositions, 21_qa_pairs, 30_models -> 40_vectors
        stages.run("encode", encode)

        # The files that the runtime maps into memory: codes for FAISS, words, texts.
        # 10_pages, 11_segments, 20_propositions, 21_qa_pairs, 40_vectors -> 50_index
        stages.run("index", index)

        # The weights of names that lead from page to page, learned from labelled questions.
        # 50_index -> 30_models/link_scorer
        if job.needs_link_scorer:
            stages.run("learn_links", learn_links)

        # Verifies counts and checksums, opens and searches the build with the runtime, and measures
        # recall if there is a question file. Then CURRENT names the build.
        # all tables -> 60_quality, 70_report, manifest.json, CURRENT
        return stages.run("publish", partial(publish, seconds=stages.seconds))


@dataclass(frozen=True, slots=True)
class BuildResult:
    """The published build, and whether this call made it."""

    manifest: Manifest
    new: bool


def build(
    store: Store,
    settings: BuildSettings,
    options: RunOptions,
    full: bool,
    retrain: bool = False,
) -> BuildResult:
    """Build and publish. Raises BuildError; the published build then stays. So does it when the
    build was rolled back before: NotPublished, without `full` and `retrain`.

    `full` builds from scratch: it resumes nothing, and reuses only the answers of an LLM. `retrain`
    reuses everything except the models.
    """
    options.llm.check(settings.reader)
    published = published_manifest(store)
    current = published and not full and not retrain and is_current(store, published, settings)
    if published and current:
        discard(store.build(published.build_id).work)
        if not waits_for_answers(store.build(published.build_id), settings):
            return BuildResult(published, new=False)
    if not (full or retrain or current):
        check_not_rolled_back(store, settings)
    job = open_job(store, settings, options, published, full, retrain)
    if retrain:
        write_text(job.build.retrain, "")
    if published and current:
        share_pages(store.build(published.build_id), published, job)
        manifest = run_jobs(job, cleaned=True, needs_answers=True)
    else:
        manifest = run_jobs(job)
    if manifest is None:
        assert published is not None
        discard(job.build.root)
        return BuildResult(published, new=False)
    return BuildResult(manifest, new=True)
