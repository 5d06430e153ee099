"""The conditions for a finished build to replace the published one."""

from __future__ import annotations

from dataclasses import dataclass

from factmill.pipelines.store.lock import Lease
from factmill.pipelines.store.page_check import PageCheck
from factmill.schemas.errors import NoIndex, NotPublished
from factmill.schemas.layout import Store
from factmill.schemas.storage.paths import StoragePath

DEFAULT_MAX_DROP = 0.02


@dataclass(frozen=True, slots=True)
class QualityCheck:
    """The question file, as for `evaluate`, and how much recall may fall."""

    questions: StoragePath
    max_drop: float = DEFAULT_MAX_DROP


@dataclass(frozen=True, slots=True)
class Publishing:
    """The quality check and the page check, if any; the lock that is held, and the build that was
    published when it was taken. Without a lock, other builds are not checked for.
    """

    quality: QualityCheck | None = None
    pages: PageCheck | None = None
    lease: Lease | None = None
    replaces: str | None = None

    def check(self, store: Store) -> None:
        """Raises Locked when another build took over, NotPublished when CURRENT was moved."""
        if self.lease is None:
            return
        self.lease.check()
        now = published_id(store)
        if now != self.replaces:
            raise NotPublished(
                f"{store.root}: {now} was published while this was built from {self.replaces}"
            )


def published_id(store: Store) -> str | None:
    """The published build's id, None for a store without one. Raises CorruptStore."""
    try:
        return store.published().build_id
    except NoIndex:
        return None
