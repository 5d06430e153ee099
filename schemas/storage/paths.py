"""Places: folders and files of this machine, and objects of a store, read by the same functions.

A local path is used as it is. Of an object there is a copy in the cache of this machine, whole and
of what the object holds now: whatever maps a file, or hands its name to a library, asks for
`local_copy` first. What is written is the subject of `atomic.py`, lines that come one
after another that of `append.py`. Hardly anything else asks of which kind a place is.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path, PurePath
from typing import TypeAlias, TypeVar

from factmill.schemas.errors import CorruptStore, MissingExtra, OptionError, Unreachable
from factmill.schemas.storage.cache import machine_cache
from factmill.schemas.storage.object_paths import ObjectPath, ObjectStat
from factmill.schemas.storage.object_systems import SCHEMES

StoragePath: TypeAlias = "Path | ObjectPath"
T = TypeVar("T")
R = TypeVar("R")

# Objects that are fetched or asked about at once.
_AT_ONCE = 16
_PIECE = 1 << 20


def is_url(text: str) -> bool:
    return "://" in text


def parse_storage_path(text: str) -> StoragePath:
    """A folder or file from the command line. Raises OptionError for a URL that is none of a store,
    or when the package for it is not installed."""
    if not is_url(text):
        return Path(text)
    scheme, _, key = text.partition("://")
    if scheme not in SCHEMES:
        known = " or ".join(f"{name}://BUCKET/NAME" for name in SCHEMES)
        raise OptionError(f"{text}: neither a folder nor {known}")
    key = key.rstrip("/")
    odd = any(part in ("", ".", "..") for part in key.split("/"))
    if odd or not key.isprintable() or "?" in key:
        raise OptionError(f"{text}: not {scheme}://BUCKET/NAME")
    package, extra = SCHEMES[scheme]
    if importlib.util.find_spec(package) is None:
        raise OptionError(f"{text}: {MissingExtra(package, extra)}")
    return ObjectPath(scheme, key)


def absolute(path: StoragePath) -> StoragePath:
    """The same for processes that work in another folder."""
    return path.absolute() if isinstance(path, Path) else path


def as_storage_path(text: str) -> StoragePath:
    """A place that was one before, whatever its name."""
    scheme, url, key = text.partition("://")
    return ObjectPath(scheme, key) if url else Path(text)


def name_below(path: StoragePath, folder: StoragePath) -> str:
    """The name of a file below a folder, with forward slashes."""
    if isinstance(path, ObjectPath) and isinstance(folder, ObjectPath):
        return str(path.relative_to(folder))
    return PurePath(str(path)).relative_to(str(folder)).as_posix()


def each(function: Callable[[T], R], items: Iterable[T]) -> list[R]:
    """The results in order, many asked for at once: a server is far away, not slow."""
    with ThreadPoolExecutor(_AT_ONCE, "factmill-places") as threads:
        return list(threads.map(function, items))


def local_copy(path: StoragePath, size: int | None = None) -> Path:
    """A file of this machine that holds what `path` holds now. Raises FileNotFoundError, and
    CorruptStore before anything is fetched when an object is not of the `size` that it should be.
    """
    if isinstance(path, Path):
        return path
    found = path.stat()
    if size is not None and found.st_size != size:
        raise CorruptStore(f"{path}: {found.st_size} bytes, not {size}")

    def fetch(target: Path) -> None:
        path.download(target)
        # Written over meanwhile, or cut on its way. Most stores say an MD5, some encrypted ones
        # do not; then all that can be said is that it is the same object as before.
        whole = target.stat().st_size == found.st_size
        if not whole or (md5_of(target) != found.tag and path.stat() != found):
            raise Unreachable(f"{path}: changed while it was read")

    return machine_cache().get(cache_key(path, found), path.name, fetch)


def local_copies(paths: Sequence[StoragePath]) -> Iterator[Path]:
    """Local copies in order, some of them fetched ahead, so that who opens them is not too late."""
    for start in range(0, len(paths), 4 * _AT_ONCE):
        some = paths[start : start + 4 * _AT_ONCE]
        if all(isinstance(path, Path) for path in some):
            yield from (local_copy(path) for path in some)
        else:
            yield from each(local_copy, some)


def cache_key(path: ObjectPath, stat: ObjectStat) -> str:
    """Not the path: a copy of an object within its bucket need not be fetched again."""
    return f"{path.bucket} {stat.tag} {stat.st_size}"


def md5_of(path: Path) -> str:
    """As stores state it for what was put in one piece; nothing is kept secret by it."""
    digest = hashlib.md5(usedforsecurity=False)
    with open(path, "rb") as stream:
        while piece := stream.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()


def local_folder(folder: StoragePath) -> Path:
    """A folder of this machine with all that is in `folder`, under the same names."""
    if isinstance(folder, Path):
        return folder
    files = folder.files()
    if not files:
        raise FileNotFoundError(2, os.strerror(2), str(folder))
    key = [(str(path.relative_to(folder)), cache_key(path, stat)) for path, stat in files.items()]

    def fetch(target: Path) -> None:
        copies = each(local_copy, files)
        for path, copy in zip(files, copies, strict=True):
            _give_name(copy, target / path.relative_to(folder))

    return machine_cache().get(str(key), folder.name, fetch)


@contextmanager
def local_view(folder: StoragePath, files: Iterable[tuple[str, int]]) -> Iterator[Path]:
    """A folder of this machine, of the same name, with these files of `folder`, of these sizes, for
    as long as it is needed; what is mapped meanwhile stays so. Raises CorruptStore when one is not
    as it should be."""

    def checked(file: tuple[str, int]) -> tuple[str, Path]:
        name, size = file
        path = folder / name
        try:
            if isinstance(path, Path) and (not path.is_file() or path.stat().st_size != size):
                raise CorruptStore(f"{path}: missing or not {size} bytes long")
            return name, local_copy(path, size)
        except FileNotFoundError:
            raise CorruptStore(f"{path}: missing") from None

    if isinstance(folder, Path):
        for file in files:
            checked(file)
        yield folder
        return
    with machine_cache().scratch() as scratch:
        for name, copy in each(checked, files):
            _give_name(copy, scratch / folder.name / name)
        yield scratch / folder.name


def gathered(paths: Sequence[StoragePath], folder: Path) -> list[Path]:
    """Local files for who opens them in its own time: copies get a second name in `folder`, under
    which they stay."""
    copies = each(local_copy, paths) if any(isinstance(p, ObjectPath) for p in paths) else paths
    found: list[Path] = []
    for number, (path, copy) in enumerate(zip(paths, copies, strict=True)):
        if isinstance(path, Path):
            found.append(path)
        else:
            assert isinstance(copy, Path)
            found.append(folder / f"{number:06d}{path.suffix}")
            _give_name(copy, found[-1])
    return found


def _give_name(copy: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(copy, target)
    except OSError:
        shutil.copyfile(copy, target)


@contextmanager
def scratch_folder(beside: StoragePath) -> Iterator[Path]:
    """A local folder for what is needed for a while: in a local folder, else in the cache's."""
    if isinstance(beside, Path):
        with tempfile.TemporaryDirectory(dir=beside) as scratch:
            yield Path(scratch)
    else:
        with machine_cache().scratch() as folder:
            yield folder


def version(path: StoragePath) -> tuple[int, str]:
    """Size, and something that is another whenever the file is written again."""
    if isinstance(path, Path):
        status = path.stat()
        return status.st_size, f"{status.st_mtime_ns} {status.st_ino}"
    found = path.stat()
    return found.st_size, found.tag


def last_change(folder: StoragePath) -> float:
    """When a file below a folder last got its name, in seconds of the epoch. What is gone meanwhile
    counts as old."""
    if not isinstance(folder, Path):
        return folder.last_change()
    newest = 0.0
    for inner, _, _ in os.walk(folder):
        with suppress(FileNotFoundError):
            newest = max(newest, os.stat(inner).st_mtime)
    return newest


def read_start(path: StoragePath, limit: int) -> bytes:
    """The first bytes of a small file, `limit` at most."""
    if isinstance(path, ObjectPath):
        return path.read_bytes(limit)
    with open(path, "rb") as file:
        return file.read(limit)


def read_texts(paths: Sequence[StoragePath]) -> list[str]:
    """The contents of small files."""
    read = each if any(isinstance(path, ObjectPath) for path in paths) else map
    return list(read(lambda path: path.read_text(encoding="utf-8"), paths))


def matching(folder: StoragePath, pattern: str) -> list[StoragePath]:
    """What in a folder matches, in order; nothing where there is no folder."""
    if isinstance(folder, Path):
        return [*sorted(folder.glob(pattern))] if folder.is_dir() else []
    return [*folder.glob(pattern)]


def files_below(folder: StoragePath) -> list[StoragePath]:
    """All files, however deep, in order; none where there is no folder."""
    if isinstance(folder, ObjectPath):
        return list(folder.files())
    return [*sorted(path for path in folder.rglob("*") if path.is_file())]


def folders_in(folder: StoragePath) -> list[StoragePath]:
    """The folders in a folder, in order; none where there is no folder."""
    if isinstance(folder, Path):
        if not folder.is_dir():
            return []
        return [*sorted(path for path in folder.iterdir() if path.is_dir())]
    try:
        return [path for path, is_folder in folder.entries() if is_folder]
    except FileNotFoundError:
        return []
