"""Storage paths: local files and objects of a store, read through the same functions.

A local path is used as it is. An object has a complete, current copy in the cache of this machine:
code that maps a file, or hands its name to a library, calls `local_copy` first. Functions that
write and remove are in `atomic.py`. `storage_of` is the one function that tells the two kinds of
paths apart.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path, PurePath
from typing import Any, BinaryIO, TypeAlias, TypeVar

from factmill.schemas.errors import MissingExtra, OptionError
from factmill.schemas.storage.local_storage import LocalStorage, check_links, link_or_copy
from factmill.schemas.storage.object_paths import ObjectPath
from factmill.schemas.storage.object_storage import AT_ONCE, ObjectStorage, all_at_once
from factmill.schemas.storage.object_systems import SCHEMES
from factmill.schemas.storage.protocol import Listing, Storage

StoragePath: TypeAlias = Path | ObjectPath
R = TypeVar("R")

_LOCAL, _OBJECTS = LocalStorage(), ObjectStorage()
# Far more than the settings of millions of input files.
_MAX_TEXT_BYTES = 1 << 30


def storage_of(path: StoragePath) -> Storage[Any]:
    """The storage for paths of this kind."""
    return _OBJECTS if isinstance(path, ObjectPath) else _LOCAL


def is_remote(path: StoragePath) -> bool:
    """Whether each access is a request to a server, which takes time and costs money, and a second
    name of a file takes as much space as the first.
    """
    return storage_of(path).remote


def is_url(text: str) -> bool:
    return "://" in text


def parse_storage_path(text: str) -> StoragePath:
    """A file or folder from the command line. Raises OptionError as `parse_object_path` does."""
    return parse_object_path(text) if is_url(text) else Path(text)


def parse_object_path(url: str) -> ObjectPath:
    """Raises OptionError for a URL that is not one of an object store, or when the package for its
    scheme is not installed.
    """
    scheme, _, key = url.partition("://")
    if scheme not in SCHEMES:
        stores = " or ".join(f"{name}://BUCKET/NAME" for name in SCHEMES)
        raise OptionError(f"{url}: neither a folder nor {stores}")
    key = key.rstrip("/")
    odd = any(part in ("", ".", "..") for part in key.split("/"))
    if odd or not key.isprintable() or "?" in key:
        raise OptionError(f"{url}: not {scheme}://BUCKET/NAME")
    package, extra = SCHEMES[scheme]
    if importlib.util.find_spec(package) is None:
        raise OptionError(f"{url}: {MissingExtra(package, extra)}")
    return ObjectPath(scheme, key)


def as_storage_path(text: str) -> StoragePath:
    """The inverse of `str(path)`, for any name."""
    scheme, url, key = text.partition("://")
    return ObjectPath(scheme, key) if url else Path(text)


def name_below(path: StoragePath, folder: StoragePath) -> str:
    """The path of a file relative to a folder, with forward slashes."""
    name, start = str(path), f"{folder}/"
    if name.startswith(start):  # a tenth of the time, for a name a file
        return name[len(start) :]
    return PurePath(name).relative_to(str(folder)).as_posix()


def map_paths(function: Callable[[StoragePath], R], paths: Sequence[StoragePath]) -> list[R]:
    """The results of `function` for all paths, in order; many requests in flight if paths are
    remote.
    """
    if any(map(is_remote, paths)):
        return all_at_once(function, paths)
    return list(map(function, paths))


def check_below(folder: StoragePath, path: StoragePath) -> None:
    """Raises CorruptStore when a path below a folder, or a folder on the way to it, is a symbolic
    link out of the folder. Objects are never links.
    """
    if not is_remote(folder):
        check_links(Path(str(folder)), [name_below(path, folder)])


def local_copy(path: StoragePath, size: int | None = None, listing: Listing | None = None) -> Path:
    """A local file with the current content of `path`, or with what it held when it was listed.
    Raises FileNotFoundError when there is no such object, and CorruptStore, before any download,
    when its size is not `size`. Without `size`, local paths are not checked.
    """
    return storage_of(path).local_copy(path, size, listing)


def local_copies(paths: Sequence[StoragePath]) -> Iterator[Path]:
    """Local copies in order, downloaded ahead of their use."""
    ahead = 4 * AT_ONCE
    for start in range(0, len(paths), ahead):
        yield from map_paths(local_copy, paths[start : start + ahead])


def local_folder(folder: StoragePath) -> Path:
    """A local folder with everything in `folder`, under the same names."""
    return storage_of(folder).local_folder(folder)


def local_view(
    folder: StoragePath, files: Iterable[tuple[str, int]], listing: Listing | None = None
) -> AbstractContextManager[Path]:
    """A local folder of the same name with these `files` (name and size) of `folder`, while the
    block runs; mapped files stay readable afterwards. Raises CorruptStore when a file does not
    match.
    """
    return storage_of(folder).local_view(folder, files, listing)


def list_files(folder: StoragePath, names: Iterable[str]) -> Listing:
    """What a store says about files below a folder, in few requests: for `local_copy` and
    `local_view`, which otherwise ask about each file, each time.
    """
    return storage_of(folder).listing(folder, names)


def gathered(paths: Sequence[StoragePath], folder: Path) -> list[Path]:
    """Local files for a caller that opens them later: cached copies get a second name in `folder`,
    which keeps them.
    """
    copies = map_paths(local_copy, paths)
    if not any(map(is_remote, paths)):
        return copies
    names = [folder / f"{number:06d}{path.suffix}" for number, path in enumerate(paths)]
    for copy, name in zip(copies, names, strict=True):
        link_or_copy(copy, name)
    return names


def scratch_folder(beside: StoragePath) -> AbstractContextManager[Path]:
    """A temporary local folder: inside `beside` if that is local, else in the cache."""
    return storage_of(beside).scratch_folder(beside)


def version(path: StoragePath, listing: Listing | None = None) -> tuple[int, str]:
    """The size of a file and a number that changes with every write."""
    return storage_of(path).version(path, listing)


def last_change(path: StoragePath) -> float:
    """When a file was written, or a file below a folder last got its name: seconds since the epoch.
    Missing files count as old.
    """
    return storage_of(path).last_change(path)


def read_start(path: StoragePath, limit: int) -> bytes:
    """The first bytes of a small file, at most `limit`."""
    return storage_of(path).read_start(path, limit)


def read_text(path: StoragePath) -> str:
    """The content of a small file. Raises ValueError for one that is not small or not UTF-8, and
    OSError for what is no file, such as a pipe, for which another reader would wait.
    """
    content = read_start(path, _MAX_TEXT_BYTES + 1)
    if len(content) > _MAX_TEXT_BYTES:
        raise ValueError("longer than such a file can be")
    return content.decode("utf-8")


def read_texts(paths: Sequence[StoragePath]) -> list[str]:
    """The contents of small files."""
    return map_paths(read_text, paths)


def open_seekable(path: StoragePath) -> AbstractContextManager[BinaryIO]:
    """Open a file for reading parts; the rest of an object is not downloaded."""
    return storage_of(path).open_seekable(path)


def matching(folder: StoragePath, pattern: str) -> list[StoragePath]:
    """Paths in a folder that match a pattern, sorted; none when there is no folder."""
    return [path for path, _ in storage_of(folder).entries(folder, pattern)]


def folders_in(folder: StoragePath) -> list[StoragePath]:
    """The folders in a folder, sorted; none when there is no folder."""
    return [path for path, is_folder in storage_of(folder).entries(folder, "*") if is_folder]


def files_below(folder: StoragePath) -> list[StoragePath]:
    """All files below a folder, sorted; none when there is no folder."""
    return storage_of(folder).files_below(folder)
