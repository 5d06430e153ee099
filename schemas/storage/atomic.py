"""Writing whole or not at all, one file under two names, and removal.

How this is done on this machine is the subject of `local_storage.py`, and in an object store that
of `object_storage.py`.
"""

from __future__ import annotations

import filecmp
import shutil
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from factmill.schemas.storage.paths import StoragePath, local_copy, local_folder, storage_of
from factmill.schemas.storage.protocol import LineLog


def whole_file(path: StoragePath) -> AbstractContextManager[Path]:
    """Yield a temporary path; on success it becomes `path`, on failure it is removed."""
    return storage_of(path).whole_file(path)


def whole_folder(path: StoragePath) -> AbstractContextManager[Path]:
    """Yield a temporary path; the folder made there becomes `path` on success, instead of one that
    was there, and is removed on failure. `is_whole_folder` says whether there is one."""
    return storage_of(path).whole_folder(path)


def is_whole_folder(path: StoragePath) -> bool:
    """Whether `whole_folder` made this one to its end."""
    return storage_of(path).is_whole_folder(path)


def copy_folder(source: StoragePath, target: StoragePath) -> None:
    """Copy a folder, whole or not at all."""
    with whole_folder(target) as temporary:
        shutil.copytree(local_folder(source), temporary)


def write_text(path: StoragePath, text: str) -> None:
    """Write a small text file whole or not at all."""
    storage_of(path).write(path, text.encode())


def overwrite(path: StoragePath, content: bytes) -> None:
    """Overwrite the bytes of a file that exists; this works on a full disk too."""
    storage_of(path).overwrite(path, content)


def put_if_absent(path: StoragePath, content: bytes) -> bool:
    """Make a file that was not there; whether this did. Its content follows a moment later."""
    return storage_of(path).put_if_absent(path, content)


def make_folder(path: StoragePath) -> None:
    """Make a folder, in an object store by a file of no content; it may be there."""
    storage_of(path).make_folder(path)


def open_log(folder: StoragePath, name: Callable[[], str]) -> LineLog:
    """A log in a folder; `name` gives a new name, which sorts after those that it gave before."""
    return storage_of(folder).open_log(folder, name)


def one_file(a: StoragePath, b: StoragePath) -> bool:
    """Whether both are there, two names of one file; two objects of which the store says that they
    hold the same."""
    storage = storage_of(a)
    return storage is storage_of(b) and storage.one_file(a, b)


def shared_names(a: StoragePath, b: StoragePath) -> set[str]:
    """The names below two folders of one storage, however deep, that name one file in both."""
    return storage_of(a).shared_names(a, b)


def link_file(source: StoragePath, target: StoragePath) -> None:
    """Give a file a second name in its storage; a file that had this name loses it. Where there are
    no links, the second is a copy, which an object store makes itself: no byte comes here."""
    if not one_file(source, target):
        storage_of(source).link_file(source, target)


def same_bytes(a: StoragePath, b: StoragePath) -> bool:
    """Whether both are there and hold the same."""
    if one_file(a, b):
        return True
    if not (a.is_file() and b.is_file()) or a.stat().st_size != b.stat().st_size:
        return False
    return filecmp.cmp(local_copy(a), local_copy(b), shallow=False)


def remove_all(paths: Sequence[StoragePath]) -> None:
    """Remove files of one storage; those that are not there are not missed."""
    if paths:
        storage_of(paths[0]).remove_all(paths)


def discard(folder: StoragePath) -> None:
    """Remove a folder and all in it, as far as that is possible."""
    storage_of(folder).discard(folder)


def remove_tree(folder: StoragePath) -> int:
    """Remove a folder; the bytes freed. What somebody else removes meanwhile is not counted."""
    return storage_of(folder).remove_tree(folder)


def remove_file(path: StoragePath) -> int:
    """Remove a file, if it is there; the bytes that nothing else names."""
    return storage_of(path).remove_file(path)


def sweep(folder: StoragePath) -> None:
    """Remove what a killed process left half written."""
    storage_of(folder).sweep(folder)
