"""The whole build: every job in order, from input files to a published index.

A build that was killed is resumed; a night with nothing new publishes nothing.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import partial

from models.encoder import Encoder
from models.entities import entity_finder
from pipelines.clean import clean
from pipelines.compose import compose
from pipelines.encode import encode
from pipelines.extract import extract
from pipelines.index import index
from pipelines.job import Job
from pipelines.learn import learn
from pipelines.llm_options import LLM
from pipelines.progress import Meter, Step
from pipelines.publish import publish
from pipelines.running import RunOptions
from pipelines.settings import BuildSettings
from schemas.errors import NoIndex, OptionError, StoreError
from schemas.layout import BuildDir, Store, write_text
from schemas.manifest import Manifest, read_manifest
from transforms.ask_notes import segments_done
from transforms.clean_pages import COMPARED, SHARDS, SPLITS
from transforms.compose_questions import LINKED, READ, STAGE
from transforms.progress import Progress
from transforms.shards import table_rows


@dataclass(frozen=True, slots=True)
class BuildResult:
    """The published build, and whether this call made it."""

    manifest: Manifest
    new: bool


def published_manifest(store: Store) -> Manifest | None:
    """The published build's manifest, or None for a store with nothing in it."""
    try:
        return read_manifest(store.published())
    except NoIndex:
        return None


def build(
    store: Store,
    settings: BuildSettings,
    options: RunOptions,
    full: bool,
    retrain: bool = False,
) -> BuildResult:
    """Build and publish. Raises BuildError; what was published before stays then.

    `full` builds again from nothing: nothing is resumed and nothing is taken over, but for what an
    LLM was paid to say. `retrain` takes over everything but the models.
    """
    options.llm.check(settings.reader)
    published = published_manifest(store)
    if published and not full and not retrain and is_current(published, settings):
        shutil.rmtree(store.build(published.build_id).work, ignore_errors=True)
        return BuildResult(published, new=False)
    job = open_job(store, settings, options, published, full)
    if retrain:
        write_text(job.build.retrain, "")
    return BuildResult(run_jobs(job), new=True)


def is_current(published: Manifest, settings: BuildSettings) -> bool:
    """Whether a build of these settings would be the published one again."""
    return published.fingerprints.get("settings") == settings.fingerprint


def open_job(
    store: Store,
    settings: BuildSettings,
    options: RunOptions,
    published: Manifest | None,
    full: bool = False,
) -> Job:
    """The unfinished build of these settings, or a new one. Raises OptionError for settings that
    cannot be built."""
    if store.root.exists() and not store.root.is_dir():
        raise OptionError(f"{store.root}: not a folder")
    Encoder(settings.encoder).check()
    entity_finder(settings.cleaning.entities)
    target = None if full else _unfinished(store, settings)
    if target is None:
        target = _new_build(store, settings)
    parent = None if full or published is None else store.build(published.build_id)
    return Job(target, settings, parent, options)


def run_jobs(job: Job, cleaned: bool = False) -> Manifest:
    """Run every job and publish; `cleaned` says that the tables of the first one are there."""
    jobs: list[tuple[str, Callable[[Job], None]]] = [
        ("clean", clean),
        ("extract", extract),
        ("compose", compose),
        ("learn", learn),
        ("encode", encode),
        ("index", index),
    ]
    timings: dict[str, float] = {}
    with Meter() as meter:
        for name, run in jobs[cleaned:]:
            meter.show(name, _steps(job, name))
            began = time.monotonic()
            run(job)
            timings[name] = round(time.monotonic() - began, 3)
        meter.show("publish", [])
        return publish(job, timings)


def _steps(job: Job, name: str) -> list[Step]:
    shards = job.settings.shards
    pieces = {name: 1 if name == "learn" else shards}
    if name == "clean":
        pieces = {SPLITS: len(job.splits), COMPARED: 1, SHARDS: shards}
    if name == "compose":
        pieces = {READ: shards, LINKED: 1, STAGE: shards}
    steps = [(total, Progress.of(job.build, step).finished) for step, total in pieces.items()]
    if name == "extract" and job.settings.reader == LLM:
        segments = table_rows(job.build, "11_segments", shards)
        steps.append((segments, partial(segments_done, job.build)))
    return steps


def _unfinished(store: Store, settings: BuildSettings) -> BuildDir | None:
    """The newest build of the same settings that was begun and not published.

    Such a build still has its working folder, even when it died between manifest and CURRENT.
    """
    for candidate in reversed(store.builds()):
        suffix = settings.fingerprint[:8]
        if not (candidate.build_id.endswith(suffix) and candidate.work.is_dir()):
            continue
        try:
            same = BuildSettings.load(candidate).fingerprint == settings.fingerprint
        except StoreError:
            continue
        if same:
            _sweep(candidate)
            return candidate
    return None


def _sweep(build: BuildDir) -> None:
    """Remove what a killed process left half written."""
    for leftover in build.root.rglob(".*.tmp"):
        leftover.unlink(missing_ok=True)


def _new_build(store: Store, settings: BuildSettings) -> BuildDir:
    moment = datetime.now(timezone.utc).strftime("%Y%m%dT%H%M%S%f")[:-3]
    build = store.build(f"{moment}Z-{settings.fingerprint[:8]}")
    shutil.rmtree(build.root, ignore_errors=True)
    settings.save(build)
    return build
