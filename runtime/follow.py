"""An index that follows its store: a new build is opened beside the old one, then replaces it.

    CURRENT names another build -> open, check, search -> the next query is the new build's

A query has one build from its beginning to its end; a build that was replaced goes when its last
query has ended. A build that cannot be opened or is not what its manifest says is refused, said
once, and tried again now and then; the old one goes on. Knows nothing of who asks.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Literal

from factmill.runtime.index import Index
from factmill.runtime.opening import open_build, open_published
from factmill.runtime.search.hits import Hit
from factmill.runtime.verify.file_checksums import corrupt
from factmill.runtime.verify.verify_build import verify_build
from factmill.runtime.verify.verify_queries import query_faults
from factmill.schemas.errors import CorruptStore, FactmillError
from factmill.schemas.layout import BuildDir, Store
from factmill.schemas.storage.paths import StoragePath, parse_storage_path, version

# What is checked of a build before it answers: "sizes" and "checksums" as `open_index` has them;
# "whole": everything, tables included; "auto": checksums, those of a first build of more than a
# gigabyte while it answers, because nothing else would.
Check = Literal["auto", "sizes", "checksums", "whole"]

_LOG = logging.getLogger("factmill.reloading")
# How long a refused build is left alone, unless something about it changes before.
_RETRY_SECONDS = 60.0


class ReloadingIndex:
    """The published index of a store, whichever that is. Thread-safe."""

    def __init__(
        self,
        store: Store,
        seconds: float = 1.0,
        check: Check = "auto",
        on_refused: Callable[[FactmillError], object] | None = None,
    ) -> None:
        """As `follow_index`."""
        self._store, self._check = store, check
        self._on_refused = on_refused or (lambda error: _LOG.error("%s", error))
        self._index = open_published(store, lambda build: open_checked(build, check))
        self._refused: FactmillError | None = None
        self._refused_when = (("", ""), 0.0)
        self._refreshing = threading.Lock()
        self._closed = threading.Event()
        self._thread = threading.Thread(
            target=self._follow, args=(seconds,), name="factmill-reloading", daemon=True
        )
        self._thread.start()

    @property
    def index(self) -> Index:
        """The build that answers now; who keeps it has one build for many questions."""
        return self._index

    @property
    def refused(self) -> FactmillError | None:
        """Why what CURRENT names does not serve; None while it does."""
        return self._refused or self._index.damage

    def search(
        self, query: str, k: int = 20, rerank: bool = False, lexical: bool = True
    ) -> list[Hit]:
        """As `Index.search`, of the build that is open now."""
        return self._index.search(query, k, rerank, lexical)

    def refresh(self) -> bool:
        """Look now, and switch if there is a new build; whether it was switched. The thread does
        this by itself."""
        with self._refreshing:
            seen = self._seen()
            refused_seen, when = self._refused_when
            if seen == refused_seen and time.monotonic() < when + _RETRY_SECONDS:
                return False
            try:
                build = self._store.published()
                new = None
                if build.build_id != self._index.build.build_id:
                    new = open_checked(build, self._check, self._index)
            except (FactmillError, OSError) as error:
                # What another build replaced meanwhile may well be gone.
                if self._seen() == seen:
                    self._refuse(seen, error)
                return False
            self._refused, self._refused_when = None, (("", ""), 0.0)
            if new is None:
                return False
            self._index = new
            return True

    def close(self) -> None:
        """Follow no longer. The index stays open while somebody has it."""
        self._closed.set()
        self._thread.join()

    def __enter__(self) -> ReloadingIndex:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _follow(self, seconds: float) -> None:
        while not self._closed.wait(seconds):
            self.refresh()

    def _seen(self) -> tuple[str, str]:
        """What CURRENT says and the state of the manifest it names, as far as they can be read."""
        try:
            build = self._store.published()
            size, seen = version(build.manifest)
        except (FactmillError, OSError) as error:
            return ("", str(error))
        return (build.build_id, f"{size} {seen}")

    def _refuse(self, seen: tuple[str, str], error: FactmillError | OSError) -> None:
        named = error if isinstance(error, FactmillError) else CorruptStore(str(error))
        said = self._refused is not None and str(self._refused) == str(named)
        self._refused, self._refused_when = named, (seen, time.monotonic())
        if not said:
            self._on_refused(named)


def open_checked(build: BuildDir, check: Check, like: Index | None = None) -> Index:
    """A build, opened, checked, and searched once, so that nothing of it is opened later. Raises
    StoreError, or OptionError when its encoder cannot be loaded."""
    if check == "auto" and like is not None:
        check = "checksums"  # the build before it answers meanwhile
    index = open_build(build, like=like, check="sizes" if check == "whole" else check)
    faults = verify_build(build, index.manifest) if check == "whole" else []
    faults = faults or list(query_faults(index))
    if faults:
        raise corrupt(build.root, faults)
    return index


def follow_index(
    store: str | StoragePath,
    seconds: float = 1.0,
    check: Check = "auto",
    on_refused: Callable[[FactmillError], object] | None = None,
) -> ReloadingIndex:
    """Open the published index of a store, and follow it: CURRENT is looked at every `seconds`.

    `check` says how a new build is checked, `on_refused` is told why one does not serve (default:
    the log). Raises NoIndex, WrongFormat or CorruptStore when there is nothing to begin with.
    """
    return ReloadingIndex(Store(parse_storage_path(str(store))), seconds, check, on_refused)
