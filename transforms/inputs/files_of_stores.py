"""Files of stores that lie in an input folder: a build never reads what builds wrote."""

from __future__ import annotations

from functools import cache

from factmill.schemas.layout import Store
from factmill.schemas.storage.paths import StoragePath, name_below

# What lies in the folder of a store.
_NAMES = frozenset({"CURRENT", "builds", "lock", "readings"})


class FilesOfStores:
    """Tells files of a store from others. `own` is the store that is built, perhaps for the first
    time; others show by their builds.
    """

    def __init__(self, own: StoragePath | None) -> None:
        self._own = own.resolve() if own else None
        self._is_store = cache(self._looks_like_store)

    def have(self, path: StoragePath, root: StoragePath) -> bool:
        """Whether a file below the folder `root`, or in a store that `root` is, is a store's."""
        folder = root
        for part in name_below(path, root).split("/"):
            if part in _NAMES and self._is_store(folder):
                return True
            folder = folder / part
        return False

    def _looks_like_store(self, folder: StoragePath) -> bool:
        if folder.resolve() == self._own:
            return True
        store = Store(folder)
        try:
            builds = store.builds()
            return bool(builds) and (
                store.current.is_file() or any(build.settings.is_file() for build in builds)
            )
        except OSError:  # nobody may look into it
            return False
