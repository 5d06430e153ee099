"""The whole build: every job in order, from input files to a published index.

A build that was killed is resumed; a night with nothing new publishes nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timezone

from factmill.models.encoding.encoder import Encoder
from factmill.models.text.entities import entity_finder
from factmill.pipelines.build_steps import PUBLISH, Heard, steps
from factmill.pipelines.clean import clean
from factmill.pipelines.compose import compose
from factmill.pipelines.encode import encode
from factmill.pipelines.extract import extract
from factmill.pipelines.index import index
from factmill.pipelines.job import Job
from factmill.pipelines.learn import learn
from factmill.pipelines.progress.progress_lines import meter
from factmill.pipelines.publish import publish
from factmill.pipelines.runners.start import RunOptions
from factmill.pipelines.settings import BuildSettings
from factmill.pipelines.stage_fingerprints import stage_fingerprints
from factmill.schemas.errors import BuildError, NoIndex, OptionError, StoreError
from factmill.schemas.layout import CAPTURES, BuildDir, Store
from factmill.schemas.manifest import OLDEST_TABLES, Manifest, read_manifest
from factmill.schemas.progress_events import progress_to
from factmill.schemas.stage_notes import read_stages, save_stages
from factmill.schemas.storage.atomic import discard, same_bytes, sweep, write_text
from factmill.schemas.storage.paths import files_below, name_below
from factmill.transforms.clean.merge_shard import TABLES as CLEANED


@dataclass(frozen=True, slots=True)
class BuildResult:
    """The published build, and whether this call made it."""

    manifest: Manifest
    new: bool


def published_manifest(store: Store) -> Manifest | None:
    """The published build's manifest, or None for a store with nothing in it."""
    try:
        return read_manifest(store.published(), OLDEST_TABLES)
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
    if full and settings.keep_missing:
        raise OptionError("--full takes nothing over, and --keep-missing takes over pages")
    published = published_manifest(store)
    if published and not full and not retrain and is_current(published, settings):
        discard(store.build(published.build_id).work)
        return BuildResult(published, new=False)
    job = open_job(store, settings, options, published, full)
    if retrain:
        write_text(job.build.retrain, "")
    manifest = run_jobs(job)
    if manifest is None:
        assert published is not None
        discard(job.build.root)
        return BuildResult(published, new=False)
    return BuildResult(manifest, new=True)


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
    parent = None if full or published is None else store.build(published.build_id)
    target = None if full else _unfinished(store, settings, parent)
    if target is None:
        target = _new_build(store, settings, parent)
    return Job(target, settings, parent, options)


def run_jobs(job: Job, cleaned: bool = False) -> Manifest | None:
    """Run every job and publish; None, and nothing is published, when the pages turn out to be the
    parent's. `cleaned` says that the tables of the first job are there, and to be published."""
    jobs: list[tuple[str, Callable[[Job], None]]] = [
        ("clean", clean),
        ("extract", extract),
        ("compose", compose),
        ("learn", learn),
        ("encode", encode),
        ("index", index),
    ]
    timings: dict[str, float] = {}
    with meter() as shown:
        for name, run in jobs[cleaned:]:
            job.options.publishing.check(job.build.store)
            shown.show(name, steps(job, name))
            began = time.monotonic()
            run(job)
            _check_done(job, name)
            timings[name] = round(time.monotonic() - began, 3)
            if name == "clean" and nothing_new(job):
                return None
        heard = Heard()
        shown.show(PUBLISH, heard.steps())
        with progress_to(heard):
            manifest = publish(job, timings)
        heard.finish()
        return manifest


def _check_done(job: Job, name: str) -> None:
    """Raises BuildError when a job left less than its pieces, as workers do that have a disk of
    their own where this process has the store."""
    if job.options.local:
        return
    last = steps(job, name)[-1]
    if last.finished() < last.pieces:
        raise BuildError(
            f"the job {name} ended well and left nothing in {job.build.root}: with --runner, store"
            " and input must be places that all workers share"
        )


def nothing_new(job: Job) -> bool:
    """Whether all that follows cleaning would be made of the same in the same way as in the parent:
    the files of the input are others, and their pages are not."""
    parent = job.parent
    if parent is None or job.build.retrain.is_file():
        return False
    ours = job.settings
    before = BuildSettings.load(parent)
    # Which files the pages came from, and which were kept, shows in the pages.
    if replace(before, inputs=ours.inputs, keep_missing=ours.keep_missing) != ours:
        return False
    if read_stages(job.build)[0] != read_stages(parent)[0]:
        return False
    names = [
        name_below(path, job.build.root)
        for table in (*CLEANED, CAPTURES)
        for path in files_below(job.build.root / table)
    ]
    return all(same_bytes(job.build.root / name, parent.root / name) for name in names)


def _unfinished(store: Store, settings: BuildSettings, parent: BuildDir | None) -> BuildDir | None:
    """The newest build of the same settings that was begun and not published. One that keeps pages
    of another build than the one that is published now is of no use.

    Such a build still has its working folder, even when it died between manifest and CURRENT; and
    so has the published one, if a run died just after.
    """
    for candidate in reversed(store.builds()):
        suffix = settings.fingerprint[:8]
        begun = candidate.build_id.endswith(suffix) and candidate.work.is_dir()
        if not begun or candidate == parent:
            continue
        try:
            same = BuildSettings.load(candidate).fingerprint == settings.fingerprint
        except StoreError:
            continue
        if same and settings.keep_missing:
            same = read_stages(candidate)[1] == (parent.build_id if parent else None)
        if same:
            sweep(candidate.root)
            return candidate
    return None


def _new_build(store: Store, settings: BuildSettings, parent: BuildDir | None) -> BuildDir:
    moment = datetime.now(timezone.utc).strftime("%Y%m%dT%H%M%S%f")[:-3]
    build = store.build(f"{moment}Z-{settings.fingerprint[:8]}")
    discard(build.root)
    settings.save(build)
    save_stages(build, stage_fingerprints(settings), parent.build_id if parent else None)
    return build
