"""Reuses files of the parent build as hard links.

A build's files are never written again, so two builds may share one. A file of the parent is reused
only when its bytes match the parent's manifest; a damaged file counts as missing. The manifest may
be forged as well, so a table with other columns than the documented ones counts as damaged.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from factmill.schemas.errors import StoreError
from factmill.schemas.layout import BuildDir, shard_name
from factmill.schemas.manifest import OLDEST_TABLES, read_manifest
from factmill.schemas.storage.atomic import link_file, same_bytes
from factmill.schemas.storage.checksum import sha256_of
from factmill.schemas.storage.object_stat import ObjectStat
from factmill.schemas.storage.paths import (
    StoragePath,
    is_remote,
    list_files,
    local_copy,
    name_below,
    version,
)
from factmill.schemas.storage.protocol import Listing
from factmill.schemas.tables import OLDER_SCHEMAS, TABLES


def link_equal(build: BuildDir, parent: BuildDir | None, files: Iterable[StoragePath]) -> None:
    """Replace files of the build by links to equal ones of the parent. Does nothing if links save
    no space.
    """
    for path in files if parent and not is_remote(build.root) else ():
        same = _unchanged(parent, name_below(path, build.root))
        if same and same_bytes(same, path):
            link_file(same, path)


def reuse_shard(
    build: BuildDir, parent: BuildDir | None, shard: int, inputs: Iterable[str], outputs: list[str]
) -> bool:
    """Link the parent's shard of the `outputs` into the build if the shard of every input table is
    the same in both. Returns False, and does nothing, when anything differs or is damaged.
    """
    if parent is None or not all(
        same_bytes(build.part(name, shard), parent.part(name, shard)) for name in inputs
    ):
        return False
    folders = tuple(f"{name}/{shard_name(shard)}/" for name in outputs)
    names = [name for name in _checksums(parent) if name.startswith(folders)]
    listing: dict[Any, ObjectStat] = {}
    for folder in folders:
        below = [name.removeprefix(folder) for name in names if name.startswith(folder)]
        listing |= list_files(parent.root / folder.rstrip("/"), below)
    if not names or not all(intact(parent, name, listing) for name in names):
        return False
    for name in names:
        link_file(parent.root / name, build.root / name)
    return True


def parent_file(build: BuildDir, parent: BuildDir | None, path: StoragePath) -> StoragePath | None:
    """The parent's file with the same name as one of the build's, if it is intact."""
    return intact(parent, name_below(path, build.root)) if parent else None


def intact(build: BuildDir | None, name: str, listing: Listing | None = None) -> StoragePath | None:
    """The file with this name in a published build, if its bytes are unchanged and its columns the
    documented ones. A file that is in `listing` is not asked for again.
    """
    path = _unchanged(build, name, listing)
    return path if path and _is_documented(name.partition("/")[0], path) else None


def _unchanged(
    build: BuildDir | None, name: str, listing: Listing | None = None
) -> StoragePath | None:
    if build is None:
        return None
    path = build.root / name
    try:
        size, changed = version(path, listing)
    except OSError:
        return None
    return path if _is_intact(build, name, size, changed) else None


@lru_cache(maxsize=4096)
def _is_intact(build: BuildDir, name: str, size: int, changed: str) -> bool:
    published = _checksums(build).get(name)
    if published is None or published[0] != size:
        return False
    path = build.root / name
    stats = {path: ObjectStat(size, changed)}
    return published[1] == sha256_of(local_copy(path, listing=stats))


def _is_documented(table: str, path: StoragePath) -> bool:
    """Whether a file has the columns of its table, if these are fixed."""
    if table not in TABLES:
        return True
    try:
        found = pq.read_schema(local_copy(path))
    except (OSError, pa.ArrowException):
        return False
    return any(found.equals(one) for one in (TABLES[table], *OLDER_SCHEMAS.get(table, ())))


@lru_cache(maxsize=2)
def _checksums(build: BuildDir) -> dict[str, tuple[int, str]]:
    try:
        tables = read_manifest(build, OLDEST_TABLES).tables.values()
    except StoreError:
        return {}
    return {file.path: (file.bytes, file.sha256) for entry in tables for file in entry.files}
