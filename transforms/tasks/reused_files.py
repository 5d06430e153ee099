"""Files that a build has in common with its parent: one file under two names.

A build's files are never written to again, so two builds may share one. What a parent has is used
only when its bytes are those in its manifest; a damaged file counts as one that is not there.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from factmill.schemas.errors import StoreError
from factmill.schemas.layout import BuildDir
from factmill.schemas.manifest import OLDEST_TABLES, read_manifest, sha256_of
from factmill.schemas.storage.atomic import link_file, same_bytes
from factmill.schemas.storage.paths import (
    StoragePath,
    is_remote,
    matching,
    name_below,
    version,
)


def share_equal(build: BuildDir, parent: BuildDir | None, files: Iterable[StoragePath]) -> None:
    """Of the build's files, those that are the same in the parent become the parent's own.
    Nothing is done where that saves no room."""
    for path in files if parent and not is_remote(build.root) else ():
        known = parent_file(build, parent, path)
        if known and same_bytes(known, path):
            link_file(known, path)


def take_over(
    build: BuildDir, parent: BuildDir | None, shard: int, made_of: Iterable[str], made: list[str]
) -> bool:
    """Share the parent's shard of the tables `made` when they are `made_of` what they would be made
    of now. False, and nothing is done, when anything differs or is damaged."""
    if parent is None or not all(
        same_bytes(build.part(name, shard), parent.part(name, shard)) for name in made_of
    ):
        return False
    paths = [path for name in made for path in matching(parent.shard(name, shard), "*")]
    names = [name_below(path, parent.root) for path in paths]
    if not names or not all(intact(parent, name) for name in names):
        return False
    for name in names:
        link_file(parent.root / name, build.root / name)
    return True


def parent_file(build: BuildDir, parent: BuildDir | None, path: StoragePath) -> StoragePath | None:
    """The parent's file of the same name as one of the build's, if it is whole."""
    return intact(parent, name_below(path, build.root)) if parent else None


def intact(build: BuildDir | None, name: str) -> StoragePath | None:
    """The file of this name in a published build, if it holds what was published."""
    if build is None:
        return None
    path = build.root / name
    try:
        size, seen = version(path)
    except OSError:
        return None
    return path if _is_intact(build, name, size, seen) else None


@lru_cache(maxsize=4096)
def _is_intact(build: BuildDir, name: str, size: int, _version: str) -> bool:
    said = _checksums(build).get(name)
    return said is not None and said[0] == size and said[1] == sha256_of(build.root / name)


@lru_cache(maxsize=2)
def _checksums(build: BuildDir) -> dict[str, tuple[int, str]]:
    try:
        tables = read_manifest(build, OLDEST_TABLES).tables.values()
    except StoreError:
        return {}
    return {file.path: (file.bytes, file.sha256) for entry in tables for file in entry.files}
