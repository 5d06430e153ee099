"""Builds of a store with numbers: odd ones answer QUERY with ODD, even ones with EVEN."""

from __future__ import annotations

import shutil
from dataclasses import replace

from factmill.runtime.follow import FollowedIndex
from factmill.runtime.index import Index
from factmill.schemas.layout import BuildDir, Store
from factmill.schemas.manifest import read_manifest

QUERY = "ferry takes minutes"
ODD, EVEN = "The ferry takes 40 minutes.", "The ferry takes 55 minutes."
# Longer than any test: nothing happens but by `refresh`.
NEVER = 3600.0


def copied(store: Store, kinds: list[BuildDir], number: int) -> BuildDir:
    """Build `number` of the store, not published: a copy of the even or of the odd build."""
    kind, build = kinds[number % 2], store.build(f"build-{number:02d}")
    shutil.copytree(kind.root, build.root)
    replace(read_manifest(kind), build_id=build.build_id).write(build)
    return build


def publish(store: Store, kinds: list[BuildDir], number: int) -> BuildDir:
    """Build `number` of the store, published."""
    build = copied(store, kinds, number)
    store.publish(build)
    return build


def answer_of(index: Index | FollowedIndex) -> str:
    """What the index finds for QUERY: ODD or EVEN."""
    return index.search(QUERY, k=1)[0].text
