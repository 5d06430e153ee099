"""Files and folders of this machine.

Content reaches the disk before its name does, so a crash leaves the old file or the new one.
Unfinished files of killed processes are called `.<name>.<random>.tmp`.
"""

from __future__ import annotations

import errno
import filecmp
import fnmatch
import os
import re
import secrets
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path, PurePath
from typing import BinaryIO

from factmill.schemas.errors import CorruptStore
from factmill.schemas.storage.append import FileLog
from factmill.schemas.storage.protocol import Listing


class LocalStorage:
    """`Storage` for pathlib paths."""

    remote = False

    def local_copy(
        self, path: Path, size: int | None = None, _listing: Listing | None = None
    ) -> Path:
        if size is not None:
            if not path.is_file():
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
            check_size(path, path.stat().st_size, size)
        return path

    def local_folder(self, folder: Path) -> Path:
        return folder

    @contextmanager
    def local_view(
        self, folder: Path, files: Iterable[tuple[str, int]], _listing: Listing | None = None
    ) -> Iterator[Path]:
        names = []
        for name, size in files:
            try:
                self.local_copy(folder / name, size)
            except FileNotFoundError:
                raise CorruptStore(f"{folder / name}: missing") from None
            names.append(name)
        check_links(folder, names)
        yield folder

    @contextmanager
    def scratch_folder(self, beside: Path) -> Iterator[Path]:
        with tempfile.TemporaryDirectory(dir=beside) as scratch:
            yield Path(scratch)

    def entries(self, folder: Path, pattern: str) -> list[tuple[Path, bool]]:
        matches = re.compile(fnmatch.translate(pattern)).match
        try:
            with os.scandir(folder) as found:
                names = sorted((one.name, one.is_dir()) for one in found if matches(one.name))
        except (FileNotFoundError, NotADirectoryError):
            return []
        return [(folder / name, is_folder) for name, is_folder in names]

    def files_below(self, folder: Path) -> list[Path]:
        return sorted(path for path in folder.rglob("*") if path.is_file())

    def listing(self, _folder: Path, _names: Iterable[str]) -> Listing:
        return {}

    def version(self, path: Path, _listing: Listing | None = None) -> tuple[int, str]:
        status = path.stat()
        return status.st_size, f"{status.st_mtime_ns} {status.st_ino}"

    def last_change(self, path: Path) -> float:
        newest = 0.0
        folders = (Path(folder) for folder, _, _ in os.walk(path))
        for inner in chain([path], folders):
            with suppress(FileNotFoundError):
                newest = max(newest, inner.stat().st_mtime)
        return newest

    def read_start(self, path: Path, limit: int) -> bytes:
        with open_regular(path) as file:
            return file.read(limit)

    @contextmanager
    def open_seekable(self, path: Path) -> Iterator[BinaryIO]:
        with open_regular(path) as file:
            yield file

    @contextmanager
    def whole_file(self, path: Path) -> Iterator[Path]:
        temporary = _temporary_beside(path)
        try:
            yield temporary
            _sync(temporary)
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
        _sync(path.parent)

    @contextmanager
    def whole_folder(self, path: Path) -> Iterator[Path]:
        temporary = _temporary_beside(path)
        try:
            yield temporary
            shutil.rmtree(path, ignore_errors=True)
            os.replace(temporary, path)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)

    def is_whole_folder(self, path: Path) -> bool:
        return path.is_dir()

    def write(self, path: Path, content: bytes) -> None:
        with self.whole_file(path) as temporary:
            temporary.write_bytes(content)

    def overwrite(self, path: Path, content: bytes) -> None:
        with open(path, "r+b") as file:
            file.write(content)
            file.truncate()

    def put_if_absent(self, path: Path, content: bytes) -> bool:
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

    def make_folder(self, path: Path) -> None:
        path.mkdir(parents=True, exist_ok=True)

    def open_log(self, folder: Path, name: Callable[[], str]) -> FileLog:
        return FileLog(folder / name())

    def same_file(self, a: Path, b: Path) -> bool:
        return a.is_file() and b.is_file() and os.path.samefile(a, b)

    def same_bytes(self, a: Path, b: Path) -> bool:
        if not (a.is_file() and b.is_file()):
            return False
        return os.path.samefile(a, b) or filecmp.cmp(a, b, shallow=False)

    def shared_names(self, a: Path, b: Path) -> set[str]:
        names = (path.relative_to(a).as_posix() for path in self.files_below(a))
        return {name for name in names if self.same_file(a / name, b / name)}

    def link_file(self, source: Path, target: Path) -> None:
        if self.same_file(source, target):
            return
        with self.whole_file(target) as temporary:
            link_or_copy(source, temporary)

    def remove_all(self, paths: Sequence[Path]) -> None:
        for path in paths:
            path.unlink(missing_ok=True)

    def remove_file(self, path: Path) -> int:
        try:
            status = path.lstat()
            path.unlink()
        except FileNotFoundError:
            return 0
        return status.st_size if status.st_nlink == 1 else 0

    def remove_tree(self, folder: Path) -> int:
        freed = 0
        for parent, folders, files in os.walk(folder, topdown=False):
            for name in files:
                freed += self.remove_file(Path(parent, name))
            for name in folders:
                path = Path(parent, name)
                with suppress(FileNotFoundError):
                    path.unlink() if path.is_symlink() else path.rmdir()
        with suppress(FileNotFoundError):
            folder.rmdir()
        return freed

    def discard(self, folder: Path) -> None:
        shutil.rmtree(folder, ignore_errors=True)

    def sweep(self, folder: Path) -> None:
        for leftover in folder.rglob(".*.tmp"):
            if leftover.is_dir():
                self.discard(leftover)
            else:
                leftover.unlink(missing_ok=True)


def check_size(path: object, found: int, size: int) -> None:
    """Raises CorruptStore when a file does not have the expected size."""
    if found != size:
        raise CorruptStore(f"{path}: {found} bytes, not {size}")


def check_links(folder: Path, names: Iterable[str]) -> None:
    """Raises CorruptStore when one of these names below a folder, or a folder on the way to it, is
    a symbolic link out of the folder.
    """
    below = {part for name in names for part in (PurePath(name), *PurePath(name).parents)}
    for path in (folder / part for part in sorted(below)):
        if path.is_symlink() and not path.resolve().is_relative_to(folder.resolve()):
            raise CorruptStore(f"{path}: a link out of {folder.name}")


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file to read. Raises OSError for anything else, such as a FIFO, for which
    `open` would wait, or an endless device.
    """
    file = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    return open(file, "rb")


def link_or_copy(source: Path, target: Path) -> None:
    """Give a file a second, unused name; a copy where links are not supported."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def _temporary_beside(path: Path) -> Path:
    """A new, unused file name in the same folder; the folder is made if needed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.parent / f".{path.name}.{secrets.token_hex(4)}.tmp"


def _sync(path: Path) -> None:
    """Flush the content of a file or folder to the disk."""
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
