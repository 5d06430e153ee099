"""Where things lie in a store.

STORE/CURRENT                                   id of the published build
STORE/builds/<build id>/manifest.json           written last: present means complete
STORE/builds/<build id>/<table>/shard=007/*.parquet
STORE/builds/<build id>/.work/                  spools and progress; gone once published
STORE/readings/<reader>/shard=007/*.jsonl       what an LLM said, for this build and the next ones
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from schemas.errors import CorruptStore, NoIndex
from schemas.places import write_text

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
