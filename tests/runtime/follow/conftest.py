"""A store that changes, and an index that follows it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from factmill.runtime.follow import FollowedIndex, follow_index
from factmill.schemas.layout import BuildDir, Store
from tests.runtime.follow.numbered_builds import EVEN, NEVER, publish
from tests.runtime.tiny_build import SITES, Fact, tiny_build


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> list[BuildDir]:
    """Two builds that answer the same question differently."""
    root = tmp_path_factory.mktemp("follow") / "store"
    later = Fact(EVEN, "How long is it?", "55 minutes")
    changed = tuple(
        replace(site, facts=(later,)) if site.name == "ferry" else site for site in SITES
    )
    return [tiny_build(root, changed, name="even"), tiny_build(root, SITES, name="odd")]


@pytest.fixture(autouse=True)
def _fake_encoder(fake_encoder: None) -> None:
    """Every test opens tiny builds."""


@pytest.fixture
def store(tmp_path: Path, kinds: list[BuildDir]) -> Store:
    """A store with build 1 published."""
    store = Store(tmp_path / "store")
    publish(store, kinds, 1)
    return store


@pytest.fixture
def quiet(store: Store) -> Iterator[FollowedIndex]:
    """Follows only when told to."""
    with follow_index(store.root, NEVER) as index:
        yield index
