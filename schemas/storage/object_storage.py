"""Objects of a store, and their copies on this machine.

An object store has no partial objects: a file is written locally and uploaded when it is complete.
It is then in the cache, so the next reader on this machine need not download it. A folder of
objects is complete once its last object is there, an empty one called `.whole`.
"""

from __future__ import annotations

import filecmp
import hashlib
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, TypeVar

from factmill.schemas.errors import CorruptStore, Unreachable
from factmill.schemas.storage.append import ObjectLog
from factmill.schemas.storage.cache import machine_cache
from factmill.schemas.storage.local_storage import check_size, link_or_copy
from factmill.schemas.storage.object_paths import ObjectPath
from factmill.schemas.storage.object_stat import ObjectStat
from factmill.schemas.storage.protocol import Listing

T = TypeVar("T")
R = TypeVar("R")

# Concurrent requests for objects.
AT_ONCE = 16
_READ_BYTES = 1 << 20
# A folder is listed when so many of its objects are wanted; a listing costs more than a question.
_LISTED_FROM = 4
# Written last, removed first: a folder of objects without it is incomplete.
_WHOLE = ".whole"
# Stands for a folder that is still empty.
_FOLDER = ".folder"


class ObjectStorage:
    """`Storage` for objects."""

    remote = True

    def local_copy(
        self, path: ObjectPath, size: int | None = None, listing: Listing | None = None
    ) -> Path:
        found = (listing or {}).get(path) or path.stat()
        if size is not None:
            check_size(path, found.st_size, size)

        def fetch(target: Path) -> None:
            path.download(target)
            # Overwritten meanwhile, or truncated on its way. Most stores give an MD5, some
            # encrypted ones do not; then only the tag can be compared.
            whole = target.stat().st_size == found.st_size
            if not whole or (_md5_of(target) != found.tag and path.stat() != found):
                raise Unreachable(f"{path}: changed while it was read")

        return machine_cache().get(_cache_key(path, found), path.name, fetch)

    def local_folder(self, folder: ObjectPath) -> Path:
        files = folder.files()
        if not files:
            raise FileNotFoundError(2, os.strerror(2), str(folder))
        key = str(
            [(str(path.relative_to(folder)), _cache_key(path, at)) for path, at in files.items()]
        )
        cache = machine_cache()
        if found := cache.find(key, folder.name):
            return found
        with cache.scratch() as scratch:
            # Not while the folder's lock is held: a file may need the same one.
            copies = all_at_once(lambda path: self.local_copy(path, listing=files), files)
            for path, copy in zip(files, copies, strict=True):
                link_or_copy(copy, scratch / "whole" / path.relative_to(folder))
            return cache.get(key, folder.name, (scratch / "whole").rename)

    @contextmanager
    def local_view(
        self,
        folder: ObjectPath,
        files: Iterable[tuple[str, int]],
        listing: Listing | None = None,
    ) -> Iterator[Path]:
        files = list(files)
        if listing is None:
            listing = self.listing(folder, (name for name, _ in files))

        def fetched(file: tuple[str, int]) -> tuple[str, Path]:
            name, size = file
            path = folder / name
            try:
                return name, self.local_copy(path, size, listing)
            except FileNotFoundError:
                raise CorruptStore(f"{path}: missing") from None

        with machine_cache().scratch() as scratch:
            for name, copy in all_at_once(fetched, files):
                link_or_copy(copy, scratch / folder.name / name)
            yield scratch / folder.name

    def scratch_folder(self, _beside: ObjectPath) -> AbstractContextManager[Path]:
        return machine_cache().scratch()

    def entries(self, folder: ObjectPath, pattern: str) -> list[tuple[ObjectPath, bool]]:
        try:
            found = folder.entries()
        except FileNotFoundError:
            return []
        return [(path, is_folder) for path, is_folder in found if fnmatchcase(path.name, pattern)]

    def files_below(self, folder: ObjectPath) -> list[ObjectPath]:
        return list(folder.files())

    def listing(self, folder: ObjectPath, names: Iterable[str]) -> Listing:
        of_top: defaultdict[str, list[ObjectPath]] = defaultdict(list)
        for name in names:
            with suppress(CorruptStore):  # it leads out of the folder: whoever reads it says so
                of_top[name.partition("/")[0] if "/" in name else ""].append(folder / name)

        def asked(top: str) -> dict[ObjectPath, ObjectStat]:
            if len(of_top[top]) >= _LISTED_FROM:
                return (folder / top if top else folder).files()
            found = {}
            for path in of_top[top]:
                with suppress(FileNotFoundError):
                    found[path] = path.stat()
            return found

        found = all_at_once(asked, list(of_top))
        return {path: stat for one in found for path, stat in one.items()}

    def version(self, path: ObjectPath, listing: Listing | None = None) -> tuple[int, str]:
        found = (listing or {}).get(path) or path.stat()
        return found.st_size, found.tag

    def last_change(self, path: ObjectPath) -> float:
        return path.last_change()

    def read_start(self, path: ObjectPath, limit: int) -> bytes:
        return path.read_bytes(limit)

    @contextmanager
    def open_seekable(self, path: ObjectPath) -> Iterator[Any]:
        with path.named_errors(), path.open() as file:
            yield file

    @contextmanager
    def whole_file(self, path: ObjectPath) -> Iterator[Path]:
        cache = machine_cache()
        with cache.scratch() as scratch:
            temporary = scratch / path.name
            yield temporary
            path.upload(temporary)
            # The tag of an object uploaded with one request. If the store gives it another tag, the
            # cache entry is simply never asked for.
            stat = ObjectStat(temporary.stat().st_size, _md5_of(temporary))
            cache.put(_cache_key(path, stat), path.name, temporary)

    @contextmanager
    def whole_folder(self, path: ObjectPath) -> Iterator[Path]:
        with machine_cache().scratch() as scratch:
            temporary = scratch / path.name
            yield temporary
            (path / _WHOLE).unlink(missing_ok=True)
            self.discard(path)
            for file in (file for file in temporary.rglob("*") if file.is_file()):
                (path / file.relative_to(temporary).as_posix()).upload(file)
            (path / _WHOLE).write_bytes(b"")

    def is_whole_folder(self, path: ObjectPath) -> bool:
        return (path / _WHOLE).is_file()

    def write(self, path: ObjectPath, content: bytes) -> None:
        path.write_bytes(content)

    def overwrite(self, path: ObjectPath, content: bytes) -> None:
        path.write_bytes(content)

    def put_if_absent(self, path: ObjectPath, content: bytes) -> bool:
        return path.create(content)

    def make_folder(self, path: ObjectPath) -> None:
        (path / _FOLDER).write_bytes(b"")

    def open_log(self, folder: ObjectPath, name: Callable[[], str]) -> ObjectLog:
        return ObjectLog(folder, name)

    def same_file(self, a: ObjectPath, b: ObjectPath) -> bool:
        with suppress(FileNotFoundError):
            return a.bucket == b.bucket and a.stat() == b.stat()
        return False

    def same_bytes(self, a: ObjectPath, b: ObjectPath) -> bool:
        try:
            stats = {path: path.stat() for path in (a, b)}
        except FileNotFoundError:
            return False
        if stats[a].st_size != stats[b].st_size:
            return False
        return (a.bucket == b.bucket and stats[a] == stats[b]) or filecmp.cmp(
            self.local_copy(a, listing=stats), self.local_copy(b, listing=stats), shallow=False
        )

    def shared_names(self, a: ObjectPath, b: ObjectPath) -> set[str]:
        here, there = (
            {(str(path.relative_to(folder)), stat) for path, stat in folder.files().items()}
            for folder in (a, b)
        )
        return {name for name, _ in here & there} if a.bucket == b.bucket else set()

    def link_file(self, source: ObjectPath, target: ObjectPath) -> None:
        # Two questions would be asked for each link, to save a copy once in a resumed build.
        if source != target:
            target.copy_from(source)

    def remove_all(self, paths: Sequence[ObjectPath]) -> None:
        paths[0].remove_all(paths)

    def remove_file(self, path: ObjectPath) -> int:
        try:
            size = path.stat().st_size
            path.unlink()
        except FileNotFoundError:
            return 0
        return size

    def remove_tree(self, folder: ObjectPath) -> int:
        files = folder.files()
        folder.remove_all(files)
        return sum(stat.st_size for stat in files.values())

    def discard(self, folder: ObjectPath) -> None:
        folder.remove_all(folder.files())

    def sweep(self, folder: ObjectPath) -> None:
        """Nothing to do: killed processes leave no partial objects."""


def all_at_once(function: Callable[[T], R], items: Iterable[T]) -> list[R]:
    """The results in order, many asked for at once: a server is far away and a disk answers late,
    but neither is slow."""
    with ThreadPoolExecutor(AT_ONCE, "factmill-objects") as threads:
        return list(threads.map(function, items))


def _cache_key(path: ObjectPath, stat: ObjectStat) -> str:
    """The tag, not the path: a copy of an object within its bucket need not be downloaded again."""
    return f"{path.bucket} {stat.tag} {stat.st_size}"


def _md5_of(path: Path) -> str:
    """The tag stores give an object uploaded with one request; not used for security."""
    digest = hashlib.md5(usedforsecurity=False)
    with open(path, "rb") as stream:
        while block := stream.read(_READ_BYTES):
            digest.update(block)
    return digest.hexdigest()
