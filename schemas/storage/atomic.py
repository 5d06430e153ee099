"""How files and folders get to a place whole or not at all, one file under two names, and removal.

On this machine the data reach the disk before the name does, and a crash leaves the old file or the
new one. An object store has no half objects: a file is written here and put when it is whole. It
then is in the cache, so whoever reads it next on this machine need not fetch it.
"""

from __future__ import annotations

import filecmp
import os
import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from factmill.schemas.storage.cache import machine_cache
from factmill.schemas.storage.object_paths import FOLDER, ObjectPath, ObjectStat
from factmill.schemas.storage.paths import StoragePath, cache_key, local_copy, local_folder, md5_of

# Put last, removed first: a folder of objects without it is half written.
_WHOLE = ".whole"


@contextmanager
def whole_file(path: StoragePath) -> Iterator[Path]:
    """Yield a temporary path; on success it becomes `path`, on failure it is removed."""
    if isinstance(path, ObjectPath):
        with machine_cache().scratch() as scratch:
            temporary = scratch / path.name
            yield temporary
            _put_file(temporary, path)
        return
    temporary = _temporary_beside(path)
    try:
        yield temporary
        with open(temporary, "rb") as written:
            os.fsync(written.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _put_file(file: Path, path: ObjectPath) -> None:
    path.upload(file)
    # What a store says of an object that was put in one piece; if it says something else of this
    # one, nobody will ask the cache for it by that name.
    said = ObjectStat(file.stat().st_size, md5_of(file))
    machine_cache().put(cache_key(path, said), path.name, file)


@contextmanager
def whole_folder(path: StoragePath) -> Iterator[Path]:
    """Yield a temporary path; the folder made there becomes `path` on success, in place of one that
    was there, and is removed on failure. `is_whole_folder` says whether there is one."""
    if isinstance(path, ObjectPath):
        with machine_cache().scratch() as scratch:
            temporary = scratch / path.name
            yield temporary
            (path / _WHOLE).unlink(missing_ok=True)
            discard(path)
            for file in (file for file in temporary.rglob("*") if file.is_file()):
                (path / file.relative_to(temporary).as_posix()).upload(file)
            (path / _WHOLE).write_bytes(b"")
        return
    temporary = _temporary_beside(path)
    try:
        yield temporary
        shutil.rmtree(path, ignore_errors=True)
        os.replace(temporary, path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def is_whole_folder(path: StoragePath) -> bool:
    """Whether `whole_folder` made this one to its end."""
    return path.is_dir() if isinstance(path, Path) else (path / _WHOLE).is_file()


def copy_folder(source: StoragePath, target: StoragePath) -> None:
    """Copy a folder, whole or not at all."""
    with whole_folder(target) as temporary:
        shutil.copytree(local_folder(source), temporary)


def _temporary_beside(path: Path) -> Path:
    """A name in the same folder, which is made, that nothing has."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.parent / f".{path.name}.{secrets.token_hex(4)}.tmp"


def write_text(path: StoragePath, text: str) -> None:
    """Write a small text file whole or not at all."""
    if isinstance(path, ObjectPath):
        path.write_bytes(text.encode())
        return
    with whole_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def make_folder(path: StoragePath) -> None:
    """Make a folder, in an object store by a file of no content; it may be there."""
    if isinstance(path, Path):
        path.mkdir(parents=True, exist_ok=True)
    else:
        (path / FOLDER).write_bytes(b"")


def put_if_absent(path: StoragePath, content: bytes) -> bool:
    """Make a file that was not there; whether this did. Its content follows a moment later."""
    if isinstance(path, ObjectPath):
        return path.create(content)
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    except FileExistsError:
        return False
    try:
        os.write(file, content)
        os.fsync(file)
    except OSError:
        path.unlink(missing_ok=True)
        raise
    finally:
        os.close(file)
    return True


def overwrite(path: StoragePath, content: bytes) -> None:
    """Write over a file that is there, in place, which a full disk allows."""
    if isinstance(path, ObjectPath):
        path.write_bytes(content)
        return
    with open(path, "r+b") as file:
        file.write(content)
        file.truncate()


def touch(path: StoragePath, content: bytes) -> None:
    """Let others see that a file is looked after: it gets a new time, or in an object store, where
    there is no such thing, a new `content`."""
    if isinstance(path, ObjectPath):
        path.write_bytes(content)
    else:
        os.utime(path)


def link_file(source: StoragePath, target: StoragePath) -> None:
    """Give a file a second name, in place of what has that name; or a copy, without links. In an
    object store the store copies it, and no byte comes here."""
    if one_file(source, target):
        return
    if isinstance(target, ObjectPath) and isinstance(source, ObjectPath):
        target.copy_from(source)
        return
    with whole_file(target) as temporary:
        try:
            os.link(local_copy(source), temporary)
        except OSError:
            shutil.copyfile(local_copy(source), temporary)


def one_file(a: StoragePath, b: StoragePath) -> bool:
    """Whether both are there, two names of one file; two objects of which the store says that they
    hold the same."""
    if isinstance(a, Path) and isinstance(b, Path):
        return a.is_file() and b.is_file() and os.path.samefile(a, b)
    with suppress(FileNotFoundError):
        if isinstance(a, ObjectPath) and isinstance(b, ObjectPath):
            return a.bucket == b.bucket and a.stat() == b.stat()
    return False


def has_links(place: StoragePath) -> bool:
    """Whether a second name takes no room."""
    return isinstance(place, Path)


def is_link(path: StoragePath) -> bool:
    return isinstance(path, Path) and path.is_symlink()


def same_bytes(a: StoragePath, b: StoragePath) -> bool:
    """Whether both are there and hold the same."""
    if one_file(a, b):
        return True
    if not (a.is_file() and b.is_file()) or a.stat().st_size != b.stat().st_size:
        return False
    return filecmp.cmp(local_copy(a), local_copy(b), shallow=False)


def remove_all(paths: Sequence[StoragePath]) -> None:
    """Remove files; those that are not there are not missed."""
    objects = [path for path in paths if isinstance(path, ObjectPath)]
    if objects:
        objects[0].remove_all(objects)
    for path in paths:
        if isinstance(path, Path):
            path.unlink(missing_ok=True)


def discard(folder: StoragePath) -> None:
    """Remove a folder and all in it, as far as that is possible."""
    if isinstance(folder, Path):
        shutil.rmtree(folder, ignore_errors=True)
    else:
        folder.remove_all(folder.files())


def sweep(folder: StoragePath) -> None:
    """Remove what a killed process left half written; in an object store it leaves nothing."""
    if isinstance(folder, Path):
        for leftover in folder.rglob(".*.tmp"):
            leftover.unlink(missing_ok=True)


def withdraw(folder: StoragePath, without: StoragePath) -> None:
    """Make a folder be none in one step: it gets another name. In an object store nothing has such
    a step; there a file goes `without` which nobody knows what to do with the folder."""
    if isinstance(folder, Path):
        os.replace(folder, folder.parent / f".gone.{secrets.token_hex(4)}")
    else:
        without.unlink(missing_ok=True)


def remove_tree(root: StoragePath) -> int:
    """Remove a folder; the bytes freed. What somebody else removes meanwhile is not counted."""
    if isinstance(root, ObjectPath):
        files = root.files()
        root.remove_all(files)
        return sum(stat.st_size for stat in files.values())
    freed = 0
    for folder, folders, files_here in os.walk(root, topdown=False):
        for name in files_here:
            freed += remove_file(Path(folder, name))
        for name in folders:
            path = Path(folder, name)
            with suppress(FileNotFoundError):
                path.unlink() if path.is_symlink() else path.rmdir()
    with suppress(FileNotFoundError):
        root.rmdir()
    return freed


def remove_file(path: StoragePath) -> int:
    """Remove a file, if it is there; the bytes that nothing else names."""
    try:
        if isinstance(path, ObjectPath):
            size = path.stat().st_size
            path.unlink()
            return size
        status = path.lstat()
        path.unlink()
    except FileNotFoundError:
        return 0
    return status.st_size if status.st_nlink == 1 else 0
