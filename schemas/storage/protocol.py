"""The storage protocol. Two classes implement it: for local files and for objects of a store.

The functions of the same names in `paths.py` and `atomic.py` document each method; here and in the
implementations only differences are documented.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TypeAlias, TypeVar

from factmill.schemas.storage.object_stat import ObjectStat

P = TypeVar("P")
# Objects that a store has listed, by path; empty for local files, which are quick to ask.
Listing: TypeAlias = Mapping[Any, ObjectStat]


class LineLog(Protocol):
    """An append-only log of lines; see `append.py`."""

    @property
    def waiting(self) -> int:
        """Number of lines that a crash would lose now."""

    def add(self, line: bytes) -> None: ...

    def flush(self) -> None: ...

    def close(self) -> None: ...


class Storage(Protocol[P]):
    """Reads, writes and removes paths of one kind."""

    @property
    def remote(self) -> bool:
        """Whether each call is a request to a server, which takes time and money; a library cannot
        open such a path by its name.
        """

    # Local files with the content of a path.

    def local_copy(
        self, path: P, size: int | None = None, listing: Listing | None = None, /
    ) -> Path: ...

    def local_folder(self, folder: P) -> Path: ...

    def local_view(
        self, folder: P, files: Iterable[tuple[str, int]], listing: Listing | None = None, /
    ) -> AbstractContextManager[Path]: ...

    def scratch_folder(self, beside: P, /) -> AbstractContextManager[Path]: ...

    # Listing and reading.

    def entries(self, folder: P, pattern: str) -> list[tuple[P, bool]]:
        """The entries of a folder that match, each with whether it is a folder; none when there is
        no folder.
        """

    def files_below(self, folder: P) -> list[P]: ...

    def listing(self, folder: P, names: Iterable[str], /) -> Listing: ...

    def version(self, path: P, listing: Listing | None = None, /) -> tuple[int, str]: ...

    def last_change(self, path: P) -> float: ...

    def read_start(self, path: P, limit: int) -> bytes: ...

    def open_seekable(self, path: P) -> AbstractContextManager[BinaryIO]: ...

    # Writing.

    def whole_file(self, path: P) -> AbstractContextManager[Path]: ...

    def whole_folder(self, path: P) -> AbstractContextManager[Path]: ...

    def is_whole_folder(self, path: P) -> bool: ...

    def write(self, path: P, content: bytes) -> None:
        """Write a small file, completely or not at all."""

    def overwrite(self, path: P, content: bytes) -> None: ...

    def put_if_absent(self, path: P, content: bytes) -> bool: ...

    def make_folder(self, path: P) -> None: ...

    def open_log(self, folder: P, name: Callable[[], str]) -> LineLog: ...

    # Links and removal.

    def same_file(self, a: P, b: P) -> bool: ...

    def same_bytes(self, a: P, b: P) -> bool: ...

    def shared_names(self, a: P, b: P) -> set[str]: ...

    def link_file(self, source: P, target: P) -> None: ...

    def remove_all(self, paths: Sequence[P]) -> None: ...

    def remove_file(self, path: P) -> int: ...

    def remove_tree(self, folder: P) -> int: ...

    def discard(self, folder: P) -> None: ...

    def sweep(self, folder: P) -> None: ...
