"""An index that follows its store: a new build is opened beside the old one, then replaces it.

    CURRENT names another build -> open, check, search -> the next query uses the new build

A query uses one build from beginning to end; a replaced build is closed when its last query has
ended. A build that cannot be opened or does not match its manifest is refused, reported once, and
retried now and then, while the old one stays in use. Knows nothing of its callers.
"""

from __future__ import annotations

import logging
import os
import threading
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Literal

from factmill.runtime.index import Index
from factmill.runtime.opening import open_build, open_published, store_at
from factmill.runtime.search.hits import Hit
from factmill.runtime.search.search_filter import SearchFilter
from factmill.runtime.verify.file_checksums import corrupt
from factmill.runtime.verify.verify_build import verify_build
from factmill.runtime.verify.verify_queries import query_faults
from factmill.schemas.errors import CorruptStore, FactmillError
from factmill.schemas.layout import BuildDir, Store
from factmill.schemas.storage.atomic import write_text
from factmill.schemas.storage.paths import StoragePath, version

# Checks of a build before it answers: "sizes" and "checksums" as in `open_index`; "whole":
# everything, tables included; "auto": checksums, but a first build of more than a gigabyte is
# checked while it answers, because nothing else could answer meanwhile.
FollowCheck = Literal["auto", "sizes", "checksums", "whole"]

_LOG = logging.getLogger("factmill.follow")
# How long until a refused build is retried, unless it changes before.
_RETRY_SECONDS = 60.0


class FollowedIndex:
    """The published index of a store, reloaded after each publication. Thread-safe. The thread that
    follows ends with the last reference; a forked process has one of its own from its first query.
    """

    def __init__(
        self,
        store: Store,
        seconds: float,
        check: FollowCheck,
        on_refused: Callable[[FactmillError], object] | None,
        on_look: Callable[[FactmillError | None], object] | None,
        last_served: Path | None,
    ) -> None:
        """As `follow_index`."""
        self._store, self._check = store, check
        self._on_refused = on_refused or (lambda error: _LOG.error("%s", error))
        self._on_look = on_look or (lambda _: None)
        self._last_served = last_served
        self._refused: FactmillError | None = None
        self._refused_when = (("", ""), 0.0)
        self._index = self._first_index()
        self._note_served()
        self._seconds, self._closed = seconds, False
        # By process. No lock: one that is held during a fork would stay held in the child.
        self._followers: dict[int, _Follower] = {}
        self._follower()

    def __repr__(self) -> str:
        return f"<FollowedIndex at {self._index.build.root}>"

    @property
    def index(self) -> Index:
        """The current build's index; keep it to use one build for many questions."""
        self._follower()
        return self._index

    @property
    def refused(self) -> FactmillError | None:
        """Why the build in CURRENT is not served; None if it is."""
        return self._refused or self.index.damage

    def search(
        self,
        query: str,
        k: int = 20,
        rerank: bool = False,
        lexical: bool = True,
        only: SearchFilter | None = None,
        relevance: bool = False,
    ) -> list[Hit]:
        """`Index.search` on the currently open build."""
        return self.index.search(query, k, rerank, lexical, only, relevance)

    def refresh(self) -> bool:
        """Check for a new build now and switch to it; returns whether it switched. The thread does
        this by itself.
        """
        with self._follower().refreshing:
            seen = self._seen()
            refused_seen, when = self._refused_when
            if seen == refused_seen and time.monotonic() < when + _RETRY_SECONDS:
                return False
            try:
                build = self._store.published()
                new = None
                if build.build_id != self._index.build.build_id:
                    new = _open_checked(build, self._check, self._index)
            except (FactmillError, OSError) as error:
                # A build that was replaced meanwhile may be deleted already.
                if self._seen() == seen:
                    self._refuse(seen, error)
                return False
            self._refused, self._refused_when = None, (("", ""), 0.0)
            if new is None:
                return False
            self._index = new
            self._note_served()
            return True

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError(
            "an index that follows its store cannot be pickled: pickle its `index`, or call"
            " follow_index in the other process"
        )

    def close(self) -> None:
        """Stop following. The index stays open while it is referenced."""
        self._closed = True
        follower = self._follower()
        follower.closed.set()
        follower.thread.join()

    def __enter__(self) -> FollowedIndex:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _look(self) -> None:
        """Look at CURRENT, as the thread does."""
        self.refresh()
        self._on_look(self.refused)

    def _follower(self) -> _Follower:
        """The follower of this process."""
        process = os.getpid()
        if process not in self._followers:
            new = _Follower(self, self._seconds, self._closed)
            if self._followers.setdefault(process, new) is new:
                new.thread.start()
        return self._followers[process]

    def _first_index(self) -> Index:
        """The published build; if it is refused, the one that another process serves."""
        seen = self._seen()
        try:
            return open_published(self._store, lambda build: _open_checked(build, self._check))
        except (FactmillError, OSError) as error:
            if self._last_served is None or not self._last_served.exists():
                raise
            try:
                served = self._store.build(self._last_served.read_text())
                index = _open_checked(served, self._check)
            except (FactmillError, OSError):
                raise error from None
            self._refuse(seen, error)
            return index

    def _note_served(self) -> None:
        if self._last_served is None:
            return
        with suppress(OSError):  # a full disk; only a new process would need it
            write_text(self._last_served, self._index.build.build_id)

    def _seen(self) -> tuple[str, str]:
        """The content of CURRENT and the state of the manifest it names, as far as they can be
        read.
        """
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


class _Follower:
    """The thread of one process that looks for new builds, until it is `closed` or nobody has the
    index any more; and the lock of a look.
    """

    def __init__(self, index: FollowedIndex, seconds: float, closed: bool) -> None:
        self.refreshing, self.closed = threading.Lock(), threading.Event()
        if closed:
            self.closed.set()
        self.thread = threading.Thread(
            target=_follow,
            args=(weakref.ref(index), self.closed, seconds),
            name="factmill-follow",
            daemon=True,
        )


def _follow(followed: weakref.ref[FollowedIndex], closed: threading.Event, seconds: float) -> None:
    while not closed.wait(seconds):
        index = followed()
        if index is None:
            return
        index._look()
        del index  # not kept while this waits


def _open_checked(build: BuildDir, check: FollowCheck, like: Index | None = None) -> Index:
    """Open a build, check it, search it once, and load what finds answers, so that later only
    stored rows, filters and span models of its own are read from its folder. Raises StoreError, or
    OptionError when its encoder cannot be loaded.
    """
    if check == "auto" and like is not None:
        check = "checksums"  # the previous build answers meanwhile
    index = open_build(build, like=like, check="sizes" if check == "whole" else check)
    faults = verify_build(build, index.manifest) if check == "whole" else []
    faults = faults or list(query_faults(index))
    if faults:
        raise corrupt(build.root, faults)
    _ = index.answer_models
    return index


def follow_index(
    store: str | StoragePath,
    seconds: float = 1.0,
    check: FollowCheck = "auto",
    on_refused: Callable[[FactmillError], object] | None = None,
    on_look: Callable[[FactmillError | None], object] | None = None,
    last_served: Path | None = None,
) -> FollowedIndex:
    """Open the published index of a store and follow it: CURRENT is read every `seconds`.

    `check` says how a new build is checked; `on_refused` is called with the reason when one is
    refused (default: log it), and `on_look` with `refused` after each look at CURRENT.
    `last_served` is a file that processes following the same store share: the id of the build that
    they serve, which a new process opens when the build in CURRENT is refused. Raises NoIndex,
    WrongFormat, CorruptStore or Unreachable when there is no usable build to begin with, and
    OptionError for an invalid URL or an encoder that cannot be loaded.
    """
    return FollowedIndex(store_at(store), seconds, check, on_refused, on_look, last_served)
