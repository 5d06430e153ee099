"""How files and folders of a store get there whole or not at all, and one file under two names."""

from __future__ import annotations

import filecmp
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield a temporary path; on success it becomes `path`, on failure it is removed.

    The data reach the disk before the name does, so a crash leaves the old file or the new one.
    """
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


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """Yield a temporary path; the folder made there becomes `path` on success, in place of one that
    was there, and is removed on failure."""
    temporary = _temporary_beside(path)
    try:
        yield temporary
        shutil.rmtree(path, ignore_errors=True)
        os.replace(temporary, path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _temporary_beside(path: Path) -> Path:
    """A name in the same folder, which is made, that nothing has."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.parent / f".{path.name}.{secrets.token_hex(4)}.tmp"


def write_text(path: Path, text: str) -> None:
    """Write a small text file whole or not at all."""
    with whole_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def link_file(source: Path, target: Path) -> None:
    """Give a file a second name, in place of what has that name; or a copy, without links."""
    if one_file(source, target):
        return
    with whole_file(target) as temporary:
        try:
            os.link(source, temporary)
        except OSError:
            shutil.copyfile(source, temporary)


def one_file(a: Path, b: Path) -> bool:
    """Whether both are there, two names of one file."""
    return a.is_file() and b.is_file() and os.path.samefile(a, b)


def same_bytes(a: Path, b: Path) -> bool:
    """Whether both are there and hold the same."""
    return one_file(a, b) or (a.is_file() and b.is_file() and filecmp.cmp(a, b, shallow=False))
