"""Stops a build that would publish again what was rolled back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress

from factmill.pipelines.settings import BuildSettings
from factmill.pipelines.store.rollback import published_or_none
from factmill.schemas.errors import NotPublished, StoreError
from factmill.schemas.layout import BuildDir, Store
from factmill.schemas.manifest import read_manifest
from factmill.transforms.clean.input_sources import may_read_more


def check_not_rolled_back(store: Store, settings: BuildSettings) -> None:
    """Raises NotPublished when the build with these settings was rolled back. One with a file that
    may be readable now is left to `check_pages_not_rolled_back`.
    """
    for build in _rolled_back(store):
        with suppress(StoreError):
            manifest = read_manifest(build)
            same = manifest.fingerprints.get("settings") == settings.fingerprint
            if same and not may_read_more(manifest.counted("clean"), settings.inputs):
                raise _refused(build, "nothing changed since")


def check_pages_not_rolled_back(store: Store, same: Callable[[BuildDir], bool]) -> None:
    """Raises NotPublished when a build that was rolled back is the same."""
    for build in _rolled_back(store):
        with suppress(StoreError):
            if same(build):
                raise _refused(build, "the pages are those of")


def _rolled_back(store: Store) -> Iterator[BuildDir]:
    published = published_or_none(store)
    for build in store.builds():
        if build.rolled_back.is_file() and build.build_id != published:
            yield build


def _refused(build: BuildDir, why: str) -> NotPublished:
    root = build.store.root
    return NotPublished(
        f"{root}: {why} {build.build_id}, which was rolled back;"
        f" publish it with: factmill rollback {root} --to {build.build_id}"
    )
