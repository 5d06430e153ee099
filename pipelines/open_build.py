"""Decides which build a run works on: none, as nothing is new; an unfinished one; or a new one."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timezone

from factmill.models.text.entities import entity_finder
from factmill.pipelines.job import Job, begun_before
from factmill.pipelines.llm_options import LLM
from factmill.pipelines.planned_splits import reads_as_before
from factmill.pipelines.runners.run_job import RunOptions
from factmill.pipelines.settings import BuildSettings
from factmill.pipelines.stage_fingerprints import stage_fingerprints
from factmill.pipelines.working_folder import note_working_folder
from factmill.schemas.errors import CorruptStore, NoIndex, OptionError, StoreError
from factmill.schemas.layout import CAPTURES, BuildDir, Store
from factmill.schemas.manifest import OLDEST_TABLES, Manifest, read_manifest
from factmill.schemas.stage_notes import read_stages, save_stages
from factmill.schemas.storage.atomic import discard, same_bytes, sweep
from factmill.schemas.storage.paths import files_below, name_below
from factmill.transforms.clean.input_sources import may_read_more
from factmill.transforms.clean.merge_shard import CLEAN_TABLES
from factmill.transforms.extract.failed_segments import unanswered_segments
from factmill.transforms.learn.learn_head import LEARN_STAGE
from factmill.transforms.tasks.task_results import TaskResults


def published_manifest(store: Store) -> Manifest | None:
    """The published build's manifest, or None for an empty store."""
    try:
        return read_manifest(store.published(), OLDEST_TABLES)
    except NoIndex:
        return None


def is_current(store: Store, published: Manifest, settings: BuildSettings) -> bool:
    """Whether a build with these settings would equal the published one: it has the same input
    files, of which none may give more now, and the same settings or inherited ones.
    """
    if may_read_more(published.counted("clean"), settings.inputs):
        return False
    try:
        parent = BuildSettings.load(store.build(published.build_id))
    except CorruptStore:
        return False
    return published.fingerprints.get("settings") == settings.inheriting(parent).fingerprint


def nothing_to_do(store: Store, settings: BuildSettings) -> Manifest | None:
    """The published build's manifest, if a build with these settings would equal it and has nothing
    to ask an LLM. Writes nothing.
    """
    published = published_manifest(store)
    if published is None or not is_current(store, published, settings):
        return None
    waits = waits_for_answers(store.build(published.build_id), settings)
    return None if waits else published


def nothing_new(job: Job) -> bool:
    """Whether cleaning found the parent's pages again, perhaps in other input files, and every
    later stage would give the same results.
    """
    parent = job.parent
    if parent is None or job.build.retrain.is_file():
        return False
    theirs = BuildSettings.load(parent)
    ours = job.settings.inheriting(theirs)
    # Input files and kept pages are compared below, by the tables that come from them.
    theirs = replace(theirs, inputs=ours.inputs, keep_missing=ours.keep_missing)
    if theirs != ours or read_stages(job.build)[0] != read_stages(parent)[0]:
        return False
    names = [
        name_below(path, job.build.root)
        for table in (*CLEAN_TABLES, CAPTURES)
        for path in files_below(job.build.root / table)
    ]
    return all(same_bytes(job.build.root / name, parent.root / name) for name in names)


def waits_for_answers(parent: BuildDir | None, settings: BuildSettings) -> bool:
    """Whether a build has segments without an LLM's answer, about which to ask again."""
    if parent is None or settings.reader != LLM:
        return False
    return bool(unanswered_segments(parent, settings.shards))


def brought_answers(job: Job) -> bool:
    """Whether segments that had no answer in the parent have one now; both must have the same
    pages. Without this check, a segment that never gets an answer would cause a build every night.
    """
    assert job.parent is not None
    shards = job.settings.shards
    return unanswered_segments(job.build, shards) != unanswered_segments(job.parent, shards)


def open_job(
    store: Store,
    settings: BuildSettings,
    options: RunOptions,
    published: Manifest | None,
    full: bool = False,
    retrain: bool = False,
) -> Job:
    """The unfinished build with these settings, or a new one, also if that one read input that
    reads otherwise now. `retrain` resumes no build that has its models without it. Raises
    OptionError for settings that cannot be built.
    """
    if store.root.exists() and not store.root.is_dir():
        raise OptionError(f"{store.root}: not a folder")
    settings.check_encoders()
    entity_finder(settings.cleaning.entities)
    parent = None if full or published is None else store.build(published.build_id)
    begun = None if full else _unfinished(store, settings, parent, retrain)
    if begun is not None:
        job = Job(begun, settings, parent, options, begun_before(begun))
        if reads_as_before(job):
            return job
    build = _new_build(store, settings, parent)
    return Job(build, settings, parent, options, None if full else begun_before(build))


def _unfinished(
    store: Store, settings: BuildSettings, parent: BuildDir | None, retrain: bool
) -> BuildDir | None:
    """The newest unpublished build with the same settings; None if there is none.

    A build has a working folder until it is published, even if it was killed between manifest and
    CURRENT. The published build has one, too, if its run was killed just after publishing.
    """
    for build in reversed(store.builds()):
        suffix = settings.fingerprint[:8]
        begun = build.build_id.endswith(suffix) and build.work.is_dir()
        if retrain and _has_learned_without_retrain(build):
            continue
        if begun and build != parent and _can_be_resumed(build, settings, parent):
            sweep(build.root)
            return build
    return None


def _has_learned_without_retrain(build: BuildDir) -> bool:
    return TaskResults.of(build, LEARN_STAGE).is_finished(0) and not build.retrain.is_file()


def _can_be_resumed(build: BuildDir, settings: BuildSettings, parent: BuildDir | None) -> bool:
    """Whether the build has the same settings and, if it keeps pages, the same parent."""
    try:
        same = BuildSettings.load(build).fingerprint == settings.fingerprint
    except StoreError:
        return False
    follows = parent.build_id if parent else None
    return same and (not settings.keep_missing or read_stages(build)[1] == follows)


def _new_build(store: Store, settings: BuildSettings, parent: BuildDir | None) -> BuildDir:
    build = store.new_build(datetime.now(timezone.utc), settings.fingerprint)
    discard(build.root)
    note_working_folder(build, settings)  # first: without settings, no job runs
    settings.save(build)
    save_stages(build, stage_fingerprints(settings), parent.build_id if parent else None)
    return build
