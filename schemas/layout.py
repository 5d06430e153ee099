"""Where things lie in a store, and how files and folders get there whole or not at all.

STORE/CURRENT                                   id of the published build
STORE/builds/<build id>/manifest.json           written last: present means complete
STORE/builds/<build id>/<table>/shard=007/*.parquet
STORE/builds/<build id>/.work/                  spools and progress; gone once published
STORE/readings/<reader>/shard=007/*.jsonl       what an LLM said, for this build and the next ones
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from schemas.errors import CorruptStore, NoIndex

SETTINGS = "00_settings"
CAPTURES = "12_captures"
MODELS = "30_models"
INDEX = "50_index"
MANIFEST = "manifest.json"
PART = "part-000.parquet"

# What of CURRENT is read: more than an id can have.
_MAX_CURRENT = 1000
_BUILD_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]{0,99}")


def shard_name(shard: int) -> str:
    """Folder of a shard: a Hive partition, so DuckDB and pyarrow see a `shard` column."""
    return f"shard={shard:03d}"


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


@dataclass(frozen=True, slots=True)
class BuildDir:
    """The folder of one build."""

    root: Path

    @property
    def build_id(self) -> str:
        return self.root.name

    @property
    def manifest(self) -> Path:
        return self.root / MANIFEST

    @property
    def settings(self) -> Path:
        return self.root / SETTINGS / "build.json"

    @property
    def stages(self) -> Path:
        """What each stage of the build was run with."""
        return self.root / SETTINGS / "stages.json"

    @property
    def work(self) -> Path:
        return self.root / ".work"

    @property
    def store(self) -> Store:
        return Store(self.root.parent.parent)

    @property
    def models(self) -> Path:
        return self.root / MODELS

    @property
    def hash_head(self) -> Path:
        return self.models / "hash_head.safetensors"

    @property
    def retrain(self) -> Path:
        """Present in a build that is to learn its models anew."""
        return self.work / "retrain"

    @property
    def tuned_encoder(self) -> Path:
        """Folder of the encoder that the build tuned, if it did."""
        return self.models / "encoder"

    def shard(self, table: str, shard: int) -> Path:
        return self.root / table / shard_name(shard)

    def part(self, table: str, shard: int) -> Path:
        """The Parquet file of a table's shard."""
        return self.shard(table, shard) / PART


@dataclass(frozen=True, slots=True)
class Store:
    """A folder of builds, one of them published."""

    root: Path

    @property
    def current(self) -> Path:
        return self.root / "CURRENT"

    def build(self, build_id: str) -> BuildDir:
        if not _BUILD_ID.fullmatch(build_id):
            raise CorruptStore(f"{self.root}: {build_id!r} is not a build id")
        return BuildDir(self.root / "builds" / build_id)

    def readings(self, reader: str, shard: int) -> Path:
        """Folder of what the reader of that fingerprint, an LLM, said of a shard's segments."""
        return self.root / "readings" / reader / shard_name(shard)

    def builds(self) -> list[BuildDir]:
        """All builds, finished or not, oldest first."""
        folder = self.root / "builds"
        if not folder.is_dir():
            return []
        return [BuildDir(path) for path in sorted(folder.iterdir()) if path.is_dir()]

    def published(self) -> BuildDir:
        """The published build. Raises NoIndex or CorruptStore."""
        try:
            with open(self.current, encoding="ascii") as file:
                build = self.build(file.read(_MAX_CURRENT).strip())
        except (FileNotFoundError, NotADirectoryError):
            raise NoIndex(f"{self.root}: nothing is published there") from None
        except (OSError, UnicodeDecodeError) as error:
            raise CorruptStore(f"{self.current}: {error}") from None
        if not build.manifest.is_file():
            raise CorruptStore(f"{self.root}: CURRENT names {build.build_id}, which is incomplete")
        return build

    def publish(self, build: BuildDir) -> None:
        """Make a complete build the published one, atomically."""
        write_text(self.current, build.build_id + "\n")
