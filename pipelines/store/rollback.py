"""Moves CURRENT by hand: back to an earlier build, or forward to one that was kept unpublished.

A build that was rolled back is marked, so that the next run does not build and publish it again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING

from factmill.pipelines.store.lock import Lease
from factmill.pipelines.store.publish_checks import published_id
from factmill.runtime.opening import open_build
from factmill.runtime.readers_lock import holding
from factmill.runtime.verify.verify_build import PUBLISH_SAMPLE, verify_build
from factmill.runtime.verify.verify_queries import query_faults
from factmill.schemas.errors import CorruptStore, NotPublished, OptionError, StoreError
from factmill.schemas.layout import BuildDir, Store
from factmill.schemas.manifest import Manifest, read_manifest
from factmill.schemas.storage.atomic import discard, write_text

if TYPE_CHECKING:
    from factmill.pipelines.settings import BuildSettings


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
        before = _published_or_broken(store)
        if before and before > target.build_id:
            write_text(store.build(before).rolled_back, "")
        target.rolled_back.unlink(missing_ok=True)
        # Before CURRENT moves, so that no run resumes a published build.
        discard(target.work)
        store.publish(target)
    return manifest


def check_not_rolled_back(store: Store, settings: BuildSettings) -> None:
    """Raises NotPublished when the build with these settings was rolled back. One with a file that
    may be readable now is left to `check_pages_not_rolled_back`.
    """
    # Here, because it loads Beam, which the command `rollback` does without.
    from factmill.transforms.clean.input_sources import may_read_more

    for build in _rolled_back(store):
        with suppress(StoreError):
            manifest = read_manifest(build)
            same = manifest.fingerprints.get("settings") == settings.fingerprint
            if same and not may_read_more(manifest.counts["clean"], settings.inputs):
                raise _refused(build, "nothing changed since")


def check_pages_not_rolled_back(store: Store, same: Callable[[BuildDir], bool]) -> None:
    """Raises NotPublished when a build that was rolled back is the same."""
    for build in _rolled_back(store):
        with suppress(StoreError):
            if same(build):
                raise _refused(build, "the pages are those of")


def _rolled_back(store: Store) -> Iterator[BuildDir]:
    published = _published_or_broken(store)
    for build in store.builds():
        if build.rolled_back.is_file() and build.build_id != published:
            yield build


def _refused(build: BuildDir, why: str) -> NotPublished:
    root = build.store.root
    return NotPublished(
        f"{root}: {why} {build.build_id}, which was rolled back;"
        f" publish it with: factmill rollback {root} --to {build.build_id}"
    )


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


def _published_or_broken(store: Store) -> str | None:
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
