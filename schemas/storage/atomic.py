"""Atomic writes, links between files, and removal.

`local_storage.py` implements them for this machine, `object_storage.py` for object stores.
"""

from __future__ import annotations

import filecmp
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

from factmill.schemas.storage.object_storage import all_at_once
from factmill.schemas.storage.paths import StoragePath, local_copy, local_folder, storage_of
from factmill.schemas.storage.protocol import LineLog


def whole_file(path: StoragePath) -> AbstractContextManager[Path]:
    """Yield a temporary path. On success it becomes `path`, on failure it is removed."""
    return storage_of(path).whole_file(path)


@contextmanager
def whole_files() -> Iterator[Callable[[StoragePath], Path]]:
    """Yield a function that takes the path of each file and returns a temporary one. On success all
    files get their paths, on failure they are removed.

    A disk takes many files in hardly more time than one, when nobody waits for one after another;
    in an object store each is a request."""
    files: list[ExitStack] = []
    with ExitStack() as unfinished:

        def open_file(path: StoragePath) -> Path:
            files.append(unfinished.enter_context(ExitStack()))
            return files[-1].enter_context(whole_file(path))

        yield open_file
        all_at_once(ExitStack.close, files)


def whole_folder(path: StoragePath) -> AbstractContextManager[Path]:
    """Yield a temporary path. On success the folder made there replaces `path`, on failure it is
    removed. `is_whole_folder` says whether a folder is complete.
    """
    return storage_of(path).whole_folder(path)


def is_whole_folder(path: StoragePath) -> bool:
    """Whether `whole_folder` completed this folder."""
    return storage_of(path).is_whole_folder(path)


def copy_folder(source: StoragePath, target: StoragePath) -> None:
    """Copy a folder, completely or not at all."""
    with whole_folder(target) as temporary:
        shutil.copytree(local_folder(source), temporary)


def write_text(path: StoragePath, text: str) -> None:
    """Write a small text file, completely or not at all."""
    storage_of(path).write(path, text.encode())


def overwrite(path: StoragePath, content: bytes) -> None:
    """Overwrite the bytes of an existing file; this works on a full disk too."""
    storage_of(path).overwrite(path, content)


def put_if_absent(path: StoragePath, content: bytes) -> bool:
    """Create a file unless it exists; returns whether it was created. Its content follows a moment
    later.
    """
    return storage_of(path).put_if_absent(path, content)


def make_folder(path: StoragePath) -> None:
    """Make a folder (an empty object, in an object store); it may exist already."""
    storage_of(path).make_folder(path)


def open_log(folder: StoragePath, name: Callable[[], str]) -> LineLog:
    """Open a log in a folder. Each call of `name` gives a new name that sorts after the earlier
    ones.
    """
    return storage_of(folder).open_log(folder, name)


def same_file(a: StoragePath, b: StoragePath) -> bool:
    """Whether both paths exist and are links to one file; for objects, whether the store says they
    are equal.
    """
    storage = storage_of(a)
    return storage is storage_of(b) and storage.same_file(a, b)


def shared_names(a: StoragePath, b: StoragePath) -> set[str]:
    """Relative paths below two folders of one storage that are links to one file in both."""
    return storage_of(a).shared_names(a, b)


def link_file(source: StoragePath, target: StoragePath) -> None:
    """Give a file a second name in its storage, replacing any file of that name. Storages without
    links copy; an object store copies without a download.
    """
    storage_of(source).link_file(source, target)


def same_bytes(a: StoragePath, b: StoragePath) -> bool:
    """Whether both files exist and have equal content."""
    storage = storage_of(a)
    if storage is storage_of(b):
        return storage.same_bytes(a, b)
    if not (a.is_file() and b.is_file()):
        return False
    return filecmp.cmp(local_copy(a), local_copy(b), shallow=False)


def remove_all(paths: Sequence[StoragePath]) -> None:
    """Remove files of one storage; missing ones are ignored."""
    if paths:
        storage_of(paths[0]).remove_all(paths)


def discard(folder: StoragePath) -> None:
    """Remove a folder and its content, as far as possible."""
    storage_of(folder).discard(folder)


def remove_tree(folder: StoragePath) -> int:
    """Remove a folder; returns the bytes freed. Ignores what another process removes meanwhile."""
    return storage_of(folder).remove_tree(folder)


def remove_file(path: StoragePath) -> int:
    """Remove a file if it exists; returns the bytes freed, 0 if another link remains."""
    return storage_of(path).remove_file(path)


def sweep(folder: StoragePath) -> None:
    """Remove the unfinished files of killed processes."""
    storage_of(folder).sweep(folder)
