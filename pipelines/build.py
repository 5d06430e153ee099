"""The whole build: every job in order, from input files to a published index.

A build that was killed is resumed; a night with nothing new publishes nothing.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timezone

from models.encoder import Encoder
from models.entities import entity_finder
from pipelines.clean import clean
from pipelines.encode import encode
from pipelines.extract import extract, make_reader
from pipelines.index import index
from pipelines.job import Job
from pipelines.learn import learn
from pipelines.progress import Meter
from pipelines.publish import publish
from pipelines.running import RunOptions
from pipelines.settings import BuildSettings
from schemas.errors import NoIndex, OptionError, StoreError
from schemas.layout import BuildDir, Store
from schemas.manifest import Manifest, read_manifest
from transforms.clean_pages import COMPARED, SHARDS, SPLITS


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


def build(store: Store, settings: BuildSettings, options: RunOptions, full: bool) -> BuildResult:
    """Build and publish. Raises BuildError; what was published before stays then.

    `full` builds again from nothing: nothing is resumed and nothing is taken over.
    """
    make_reader(settings.reader)
    published = published_manifest(store)
    if published and not full and published.fingerprints.get("settings") == settings.fingerprint:
        shutil.rmtree(store.build(published.build_id).work, ignore_errors=True)
        return BuildResult(published, new=False)
    if store.root.exists() and not store.root.is_dir():
        raise OptionError(f"{store.root}: not a folder")
    Encoder(settings.encoder).check()
    entity_finder(settings.cleaning.entities)
    target = None if full else _unfinished(store, settings)
    if target is None:
        target = _new_build(store, settings)
    parent = None if full or published is None else store.build(published.build_id)
    job = Job(target, settings, parent, options)
    return BuildResult(_run(job), new=True)


def _run(job: Job) -> Manifest:
    shards = job.settings.shards
    stages: list[tuple[str, Callable[[Job], None], dict[str, int]]] = [
        (
            "clean",
            clean,
            {SPLITS: len(job.splits), COMPARED: 1, SHARDS: shards},
        ),
        ("extract", extract, {"extract": shards}),
        ("learn", learn, {"learn": 1}),
        ("encode", encode, {"encode": shards}),
        ("index", index, {"index": shards}),
    ]
    timings: dict[str, float] = {}
    with Meter(job.build) as meter:
        for name, run, pieces in stages:
            meter.show(name, pieces)
            began = time.monotonic()
            run(job)
            timings[name] = round(time.monotonic() - began, 3)
        meter.show("publish", {})
        return publish(job, timings)


def _unfinished(store: Store, settings: BuildSettings) -> BuildDir | None:
    """The newest build of the same settings that was begun and not published.

    Such a build still has its working folder, even when it died between manifest and CURRENT.
    """
    for candidate in reversed(store.builds()):
        if not candidate.build_id.endswith(settings.fingerprint[:8]):
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
