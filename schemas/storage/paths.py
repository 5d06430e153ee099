"""Storage paths: files of this machine, and objects of a store, read by the same functions.

A local path is used as it is. Of an object there is a copy in the cache of this machine, whole and
of what the object holds now: whatever maps a file, or hands its name to a library, asks for
`local_copy` first. Functions that write and remove are in `atomic.py`. `storage_of` is the one
function that asks of which kind a path is.
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
from factmill.schemas.storage.protocol import Storage

StoragePath: TypeAlias = "Path | ObjectPath"
R = TypeVar("R")

_LOCAL, _OBJECTS = LocalStorage(), ObjectStorage()


def storage_of(path: StoragePath) -> Storage[Any]:
    """The storage that takes paths of this kind."""
    return _OBJECTS if isinstance(path, ObjectPath) else _LOCAL


def is_remote(path: StoragePath) -> bool:
    """Whether looking at a path is a request to a server: it takes time and is paid for, and a
    second name of a file takes room as the first does."""
    return storage_of(path).remote


def is_url(text: str) -> bool:
    return "://" in text


def parse_storage_path(text: str) -> StoragePath:
    """A folder or file from the command line. Raises OptionError as `parse_object_path` does."""
    return parse_object_path(text) if is_url(text) else Path(text)


def parse_object_path(url: str) -> ObjectPath:
    """Raises OptionError for a URL that is none of a store, or when the package for it is not
    installed."""
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
    """The path whose `str` this is, whatever its name."""
    scheme, url, key = text.partition("://")
    return ObjectPath(scheme, key) if url else Path(text)


def name_below(path: StoragePath, folder: StoragePath) -> str:
    """The name of a file below a folder, with forward slashes."""
    name, start = str(path), f"{folder}/"
    if name.startswith(start):  # a tenth of the time, and there is a name for every file
        return name[len(start) :]
    return PurePath(name).relative_to(str(folder)).as_posix()


def each(function: Callable[[StoragePath], R], paths: Sequence[StoragePath]) -> list[R]:
    """The results in order; where a server is asked, many at once."""
    if any(map(is_remote, paths)):
        return all_at_once(function, paths)
    return list(map(function, paths))


def check_below(folder: StoragePath, path: StoragePath) -> None:
    """Raises CorruptStore when a path below a folder, or a folder on the way to it, is a link that
    leads out of the folder. Objects are no links."""
    if not is_remote(folder):
        check_links(Path(str(folder)), [name_below(path, folder)])


def local_copy(path: StoragePath, size: int | None = None) -> Path:
    """A file of this machine that holds what `path` holds now. Raises FileNotFoundError for an
    object that is not there, and CorruptStore before anything is fetched for what is not of the
    `size` that it should be. Without a size, nobody looks at a local path."""
    return storage_of(path).local_copy(path, size)


def local_copies(paths: Sequence[StoragePath]) -> Iterator[Path]:
    """Local copies in order, some of them fetched ahead, so that who opens them is not too late."""
    ahead = 4 * AT_ONCE
    for start in range(0, len(paths), ahead):
        yield from each(local_copy, paths[start : start + ahead])


def local_folder(folder: StoragePath) -> Path:
    """A folder of this machine with all that is in `folder`, under the same names."""
    return storage_of(folder).local_folder(folder)


def local_view(
    folder: StoragePath, files: Iterable[tuple[str, int]]
) -> AbstractContextManager[Path]:
    """A folder of this machine, of the same name, with these files of `folder`, of these sizes, for
    as long as it is needed; what is mapped meanwhile stays so. Raises CorruptStore when one is not
    as it should be."""
    return storage_of(folder).local_view(folder, files)


def gathered(paths: Sequence[StoragePath], folder: Path) -> list[Path]:
    """Local files for who opens them in its own time: copies get a second name in `folder`, under
    which they stay."""
    copies = each(local_copy, paths)
    if not any(map(is_remote, paths)):
        return copies
    names = [folder / f"{number:06d}{path.suffix}" for number, path in enumerate(paths)]
    for copy, name in zip(copies, names, strict=True):
        link_or_copy(copy, name)
    return names


def scratch_folder(beside: StoragePath) -> AbstractContextManager[Path]:
    """A local folder for what is needed for a while: in a local folder, else in the cache's."""
    return storage_of(beside).scratch_folder(beside)


def version(path: StoragePath) -> tuple[int, str]:
    """Size, and something that is another whenever the file is written again."""
    return storage_of(path).version(path)


def last_change(path: StoragePath) -> float:
    """When a file was written, or a file below a folder last got its name, in seconds of the epoch.
    What is gone meanwhile counts as old."""
    return storage_of(path).last_change(path)


def read_start(path: StoragePath, limit: int) -> bytes:
    """The first bytes of a small file, `limit` at most."""
    return storage_of(path).read_start(path, limit)


def read_texts(paths: Sequence[StoragePath]) -> list[str]:
    """The contents of small files."""
    return each(lambda path: path.read_text(encoding="utf-8"), paths)


def open_seekable(path: StoragePath) -> AbstractContextManager[BinaryIO]:
    """A file to read parts of; the rest of an object is not fetched."""
    return storage_of(path).open_seekable(path)


def matching(folder: StoragePath, pattern: str) -> list[StoragePath]:
    """What in a folder matches, in order; nothing where there is no folder."""
    return [path for path, _ in storage_of(folder).entries(folder, pattern)]


def folders_in(folder: StoragePath) -> list[StoragePath]:
    """The folders in a folder, in order; none where there is no folder."""
    return [path for path, is_folder in storage_of(folder).entries(folder, "*") if is_folder]


def files_below(folder: StoragePath) -> list[StoragePath]:
    """All files, however deep, in order; none where there is no folder."""
    return storage_of(folder).files_below(folder)
