"""Moves CURRENT by hand: back to an earlier build, or forward to one that was kept unpublished.

A build that was rolled back is marked, so that the next run does not build and publish it again.
"""

from __future__ import annotations

from contextlib import ExitStack

from factmill.pipelines.store.lock import Lease
from factmill.pipelines.store.publish_checks import published_id
from factmill.runtime.opening import open_build
from factmill.runtime.readers_lock import holding
from factmill.runtime.verify.verify_build import PUBLISH_SAMPLE, verify_build
from factmill.runtime.verify.verify_queries import query_faults
from factmill.schemas.errors import CorruptStore, OptionError
from factmill.schemas.layout import BuildDir, Store
from factmill.schemas.manifest import Manifest, read_manifest
from factmill.schemas.storage.atomic import discard, write_text


def rollback(store: Store, to: str | None = None) -> Manifest:
    """Publish an existing complete build, by default the newest before the published one.

    It is verified as before any publication. Raises OptionError when there is no such build,
    CorruptStore when it is damaged, Locked while it is being worked on.
    """
    target = store.complete(to, "--to") if to is not None else _earlier(store)
    with ExitStack() as stack:
        if target.work.is_dir():
            stack.enter_context(Lease.take(store, "rollback"))
        stack.enter_context(holding(target))
        manifest = read_manifest(target)
        _verify(target, manifest)
        before = published_or_none(store)
        if before and before > target.build_id:
            write_text(store.build(before).rolled_back, "")
        target.rolled_back.unlink(missing_ok=True)
        # Before CURRENT moves, so that no run resumes a published build.
        discard(target.work)
        store.publish(target)
    return manifest


def published_before(store: Store, build_id: str) -> BuildDir | None:
    """The newest build before this one that was once published, and not rolled back."""
    for build in reversed(store.builds()):
        if build.build_id < build_id and build.was_published():
            return build
    return None


def _earlier(store: Store) -> BuildDir:
    try:
        current = store.published().build_id
    except CorruptStore as error:
        raise CorruptStore(f"{error}; name a build with --to") from None
    build = published_before(store, current)
    if build is None:
        raise OptionError(f"{store.root}: no complete build before {current}")
    return build


def published_or_none(store: Store) -> str | None:
    """The id of the published build; None when CURRENT is damaged, too."""
    try:
        return published_id(store)
    except CorruptStore:
        return None


def _verify(build: BuildDir, manifest: Manifest) -> None:
    faults = verify_build(build, manifest, PUBLISH_SAMPLE)
    faults = faults or list(query_faults(open_build(build)))
    if manifest.build_id != build.build_id:
        faults.append(f"its manifest is that of {manifest.build_id}")
    if faults:
        raise CorruptStore(f"{build.root} is not published: " + "; ".join(faults[:5]))
