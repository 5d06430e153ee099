"""Removes builds that are no longer needed: `factmill gc`.

It keeps the published build, the newest that were published before, the newest complete ones that
were not, builds that are being read, and unfinished builds, which a run could resume, until they
have been idle for some days; while a build runs, it keeps all unfinished ones. A build loses its
manifest first, so what a killed collector leaves behind never looks complete. Files shared between
builds are hard links: only removing the last one frees the bytes. LLM answers are never removed.
Foreign folders stay, and no link is followed.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from factmill.pipelines.store.lock import GC, Lease
from factmill.pipelines.store.publish_checks import published_id
from factmill.runtime.readers_lock import without_readers
from factmill.schemas.errors import CorruptStore, Locked
from factmill.schemas.layout import BuildDir, Store, is_build_id
from factmill.schemas.storage.atomic import remove_file, remove_tree
from factmill.schemas.storage.paths import StoragePath, last_change, matching

_SECONDS_A_DAY = 86_400


@dataclass
class Collected:
    """Ids of the removed builds; ids of the kept ones with the reason; bytes freed on the disk."""

    removed: list[str] = field(default_factory=list)
    kept: dict[str, str] = field(default_factory=dict)
    bytes_freed: int = 0


def collect(store: Store, keep: int, unfinished_days: float) -> Collected:
    """Remove all builds but those that are needed: beside the published one `keep` others that were
    published, as many complete ones that never were or were rolled back, and unfinished ones that
    were worked on in the last `unfinished_days`. Raises CorruptStore when CURRENT cannot be read,
    because the build it names must stay, or when `builds` is a link.
    """
    builds = _own_builds(store)
    worked_on_after = time.time() - unfinished_days * _SECONDS_A_DAY
    found = Collected(kept=_needed(builds, published_id(store), keep, worked_on_after))
    doomed = [build for build in builds if build.build_id not in found.kept]
    begun = [build for build in doomed if build.work.is_dir()]
    gone = _give_up(store, begun, found)
    gone += [build for build in doomed if build not in begun and _uncover(store, build, found)]
    for build in gone:
        found.bytes_freed += remove_tree(build.root)
        found.removed.append(build.build_id)
    for leftover in _leftovers(store):
        found.bytes_freed += remove_file(leftover)
    return found


def _own_builds(store: Store) -> list[BuildDir]:
    """The builds of this store, newest first; none when there is no store. Raises CorruptStore when
    `builds` is a link, because its target may belong to another store.
    """
    if store.builds_folder.is_symlink():
        raise CorruptStore(f"{store.builds_folder}: a link; nothing was removed")
    builds = [
        build
        for build in reversed(store.builds())
        if is_build_id(build.build_id) and not build.root.is_symlink()
    ]
    signs = [build for build in builds if build.manifest.is_file() or build.settings.is_file()]
    return builds if signs or store.current.is_file() else []


def _needed(
    builds: list[BuildDir], published: str | None, keep: int, worked_on_after: float
) -> dict[str, str]:
    """Ids of the builds to keep and why, apart from builds that are being read."""
    needed = {published: "published"} if published else {}
    complete = [build for build in builds if build.manifest.is_file()]
    spare = [build for build in complete if build.build_id != published]
    # Apart, so that nights whose builds are kept unpublished leave something to roll back to.
    once = [build for build in spare if build.was_published()]
    others = [build for build in spare if build not in once]
    needed |= {build.build_id: "complete" for build in once[:keep]}
    for build in others[:keep]:
        rolled_back = build.rolled_back.is_file()
        needed[build.build_id] = "rolled back" if rolled_back else "not published"
    for build in builds:
        resumable = build.work.is_dir() and build.settings.is_file()
        if build not in complete and resumable and last_change(build.root) > worked_on_after:
            needed[build.build_id] = "unfinished"
    return needed


def _leftovers(store: Store) -> list[StoragePath]:
    """Files beside CURRENT left by processes killed while writing it; not files being written
    now.
    """
    long_ago = time.time() - _SECONDS_A_DAY
    paths = matching(store.root, f".{store.current.name}.*.tmp")
    return [path for path in paths if last_change(path) < long_ago]


def _give_up(store: Store, builds: list[BuildDir], found: Collected) -> list[BuildDir]:
    """Make the given unfinished builds impossible to resume. None while a build runs."""
    if not builds:
        return []
    try:
        with Lease.take(store, GC):
            return [build for build in builds if _end_resuming(store, build, found)]
    except Locked:
        found.kept |= {build.build_id: "a build is running" for build in builds}
        return []


def _end_resuming(store: Store, build: BuildDir, found: Collected) -> bool:
    """Remove a build's manifest and its settings: a run resumes only a build whose settings it can
    read. False when the build is in use.
    """
    if not _uncover(store, build, found):
        return False
    if not build.settings.parent.is_symlink():
        found.bytes_freed += remove_file(build.settings)
    return True


def _uncover(store: Store, build: BuildDir, found: Collected) -> bool:
    """Remove a build's manifest; False when the build is being read or was just published."""
    with without_readers(build) as free:
        if not free or published_id(store) == build.build_id:
            found.kept[build.build_id] = "being read"
            return False
        found.bytes_freed += remove_file(build.manifest)
        return True
