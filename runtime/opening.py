"""Opens a published index, or one build, by mapping its files.

The files are compared with the manifest: sizes at once, checksums as `check` says. The build is
protected from garbage collection while the index is open.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable
from contextlib import ExitStack

from factmill.runtime.index import Index
from factmill.runtime.readers_lock import hold
from factmill.runtime.verify.check_opening import open_files
from factmill.runtime.verify.file_checksums import FileChecks
from factmill.runtime.verify.opening_checks import OpeningCheck
from factmill.schemas.errors import CorruptStore, NoIndex, OptionError
from factmill.schemas.layout import BuildDir, Store
from factmill.schemas.manifest import Manifest, read_manifest
from factmill.schemas.storage.paths import StoragePath, parse_storage_path


def open_index(store: str | StoragePath, check: OpeningCheck = "auto") -> Index:
    """Open the published index of a store; `store` may be the URL of an object store. The index
    stays with this build; `runtime.follow.follow_index` follows new ones.

    `check` says when the files that answer are compared with their checksums: "checksums" before
    the first query, "background" while queries are answered, "sizes" never, "auto" (the default)
    "checksums" up to a gigabyte and "background" above. Raises NoIndex, WrongFormat, CorruptStore
    or Unreachable, and OptionError for an invalid URL.
    """
    return open_published(store_at(store), lambda build: open_build(build, check=check))


def store_at(store: str | StoragePath) -> Store:
    """The store in a folder or at a URL, also after the program has changed its working folder.
    Raises OptionError for an invalid URL, and for what is neither.
    """
    if isinstance(store, (int, bytes, type(None))) or not str(store):
        raise OptionError(f"a store must be a folder or a URL, not {store!r}")
    return Store(parse_storage_path(str(store)).absolute())


def open_published(store: Store, opened: Callable[[BuildDir], Index]) -> Index:
    """The result of `opened` for the published build; retried if the build was replaced and deleted
    meanwhile.
    """
    while True:
        build = store.published()
        try:
            return opened(build)
        except CorruptStore:
            if store.published() == build:
                raise


def open_build(
    build: BuildDir,
    manifest: Manifest | None = None,
    like: Index | None = None,
    check: OpeningCheck = "sizes",
    before: FileChecks | None = None,
) -> Index:
    """Open one build; `manifest` stands in for one that is not written yet. The encoder of the
    index `like` is reused if it is the same, and so are its file checks, or those `before`. Raises
    as `open_index` does.
    """
    with ExitStack() as held:
        build.check_links()
        if manifest is None:
            held.callback(os.close, hold(build))
            manifest = read_manifest(build)
        opened = open_files(build, manifest, check, like.file_checks if like else before)
        held.callback(opened.check.stop)
        encoder = like.encoder_of(opened.head) if like else None
        index = Index(build, manifest, opened.head, opened.index, encoder, opened.check)
        index.let_go = weakref.finalize(index, held.pop_all().close)
        index.opened_by = (_open_again, (build, check, index.file_checks))
    return index


def _open_again(build: BuildDir, check: OpeningCheck, before: FileChecks) -> Index:
    """The index of a pickled one. Files that it compared are not read again on the same disk."""
    try:
        return open_build(build, check=check, before=before)
    except CorruptStore:
        if build.manifest.exists():
            raise
        raise NoIndex(
            f"{build.root}: the build of a pickled index is not here. It was deleted since, or this"
            " machine does not see it: open the store again"
        ) from None
