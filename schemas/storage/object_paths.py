"""Objects of an object store as paths, over fsspec, with few requests.

    s3://BUCKET/KEY     gs://BUCKET/KEY

Listings are never cached, because other machines write too. Credentials and endpoints come from the
environment, as the store's own tools take them; paths contain none, so they can be stored and sent
to other machines. Any server failure is Unreachable, with a one-line message; a missing object is a
FileNotFoundError, as with files. Knows nothing of local copies.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from factmill.schemas.errors import DISK_FULL, CorruptStore, OptionError, Unreachable
from factmill.schemas.storage.object_stat import ObjectStat
from factmill.schemas.storage.object_systems import failures, file_system

_MAX_MESSAGE = 300


@dataclass(frozen=True, slots=True, order=True)
class ObjectPath:
    """A bucket and a key, or a key prefix, which is a folder."""

    scheme: str
    key: str

    def __str__(self) -> str:
        return f"{self.scheme}://{self.key}"

    def __truediv__(self, name: str | PurePosixPath) -> ObjectPath:
        """Raises CorruptStore for a name that leaves the folder."""
        parts = str(name).split("/")
        if any(part in ("", ".", "..") for part in parts):
            raise CorruptStore(f"{self}: {str(name)!r} is not a name in this folder")
        return ObjectPath(self.scheme, f"{self.key}/{name}")

    @property
    def name(self) -> str:
        return self.key.rpartition("/")[2]

    @property
    def stem(self) -> str:
        return PurePosixPath(self.name).stem

    @property
    def suffix(self) -> str:
        return PurePosixPath(self.name).suffix

    @property
    def parent(self) -> ObjectPath:
        return ObjectPath(self.scheme, self.key.rpartition("/")[0])

    @property
    def bucket(self) -> str:
        return f"{self.scheme}://{self.key.partition('/')[0]}"

    # The interface of local paths; a key is absolute, and there are no links.

    def absolute(self) -> ObjectPath:
        return self

    def resolve(self) -> ObjectPath:
        return self

    def is_symlink(self) -> bool:
        return False

    def relative_to(self, folder: ObjectPath) -> PurePosixPath:
        """The name below a folder. Raises ValueError when the path is not below it."""
        if self.scheme != folder.scheme:
            raise ValueError(f"{self} is not in {folder}")
        return PurePosixPath(self.key).relative_to(folder.key)

    def stat(self) -> ObjectStat:
        """Raises FileNotFoundError when there is no such object."""
        with self.named_errors():
            found = self._system.info(self.key)
        if found["type"] != "file":
            raise _missing(self)
        return ObjectStat.of(found)

    def is_file(self) -> bool:
        try:
            self.stat()
        except FileNotFoundError:
            return False
        return True

    def is_dir(self) -> bool:
        with self.named_errors():
            return bool(self._system.isdir(self.key))

    def exists(self) -> bool:
        return self.is_dir() or self.is_file()

    def read_bytes(self, limit: int | None = None) -> bytes:
        """The content, or its first `limit` bytes."""
        with self.named_errors():
            if limit is None:
                whole: bytes = self._system.cat_file(self.key)
                return whole
        # A range request for an empty object fails.
        if not self.stat().st_size:
            return b""
        with self.named_errors():
            start: bytes = self._system.cat_file(self.key, start=0, end=limit)
        return start

    def read_text(self, encoding: str = "utf-8") -> str:
        return self.read_bytes().decode(encoding)

    def write_bytes(self, content: bytes) -> None:
        """Replace the content in one step."""
        with self.named_errors(writing=True):
            self._system.pipe_file(self.key, content)

    def create(self, content: bytes) -> bool:
        """Create the object unless it exists; returns whether it was created."""
        try:
            with self.named_errors(writing=True):
                self._system.pipe_file(self.key, content, mode="create")
        except FileExistsError:
            return False
        return True

    def upload(self, source: os.PathLike[str]) -> None:
        """Upload a local file, replacing the object in one step."""
        with self.named_errors(writing=True):
            self._system.put_file(os.fspath(source), self.key)

    def download(self, target: os.PathLike[str]) -> None:
        """Download to a local file, which a failure may leave incomplete."""
        with self.named_errors():
            self._system.get_file(self.key, os.fspath(target))

    def copy_from(self, source: ObjectPath) -> None:
        """Copy within the store, without a download."""
        with source.named_errors():
            self._system.cp_file(source.key, self.key)

    def open(self) -> Any:
        """Open for reading parts. Use it within `named_errors`."""
        return self._system.open(self.key, "rb")

    def unlink(self, missing_ok: bool = False) -> None:
        try:
            with self.named_errors():
                self._system.rm_file(self.key)
        except FileNotFoundError:
            if not missing_ok:
                raise

    def iterdir(self) -> Iterator[ObjectPath]:
        return (path for path, _ in self.entries())

    def entries(self) -> list[tuple[ObjectPath, bool]]:
        """The entries of this folder, each with whether it is a folder. Raises
        FileNotFoundError.
        """
        with self.named_errors():
            found = self._system.ls(self.key, detail=True)
        paths = [(self._listed(one["name"]), one["type"] == "directory") for one in found]
        return sorted((path, folder) for path, folder in paths if path != self)

    def files(self) -> dict[ObjectPath, ObjectStat]:
        """All objects below, however deep."""
        with self.named_errors():
            found = self._system.find(self.key, detail=True)
        files = {self._listed(name): ObjectStat.of(one) for name, one in found.items()}
        return {path: files[path] for path in sorted(files) if not path.key.endswith("/")}

    def last_change(self) -> float:
        """When the last of the objects below was written: seconds since the epoch by the store's
        clock.
        """
        with self.named_errors():
            found = self._system.find(self.key, detail=True)
        # s3fs has the first key, gcsfs the second.
        changes = (one.get("LastModified") or one.get("mtime") for one in found.values())
        return max((change.timestamp() for change in changes if change), default=0.0)

    def glob_url(self, pattern: str) -> dict[ObjectPath, ObjectStat | None]:
        """The URL that matches a glob below this folder; None stands for a folder."""
        with self.named_errors():
            found = self._system.glob(pattern.partition("://")[2], detail=True)
        return {
            self._listed(name): ObjectStat.of(one) if one["type"] == "file" else None
            for name, one in found.items()
        }

    def remove_all(self, below: Iterable[ObjectPath]) -> None:
        """Remove many objects with one request; missing ones are ignored."""
        names = [path.key for path in below]
        if not names:
            return
        try:
            with self.named_errors():
                self._system.rm(names)
        except FileNotFoundError:
            for name in names:
                ObjectPath(self.scheme, name).unlink(missing_ok=True)

    @contextmanager
    def named_errors(self, writing: bool = False) -> Iterator[None]:
        """Turns errors of the block into Unreachable, FileNotFoundError, FileExistsError, or
        OptionError for a missing bucket. A full local disk stays an OSError.
        """
        try:
            yield
        except FileExistsError:
            raise
        except FileNotFoundError:
            if writing:  # only a bucket can be missing
                raise OptionError(f"{self.bucket}: there is no such bucket") from None
            raise _missing(self) from None
        except failures(self.scheme) as error:
            if isinstance(error, OSError) and error.errno in DISK_FULL:
                raise
            said = " ".join(str(error).split())[:_MAX_MESSAGE] or type(error).__name__
            raise Unreachable(f"{self}: {said}") from None

    def _listed(self, name: str) -> ObjectPath:
        return ObjectPath(self.scheme, name.lstrip("/"))

    @property
    def _system(self) -> Any:
        return file_system(self.scheme, os.getpid())


def _missing(path: ObjectPath) -> FileNotFoundError:
    return FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
