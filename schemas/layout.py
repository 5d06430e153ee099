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
from datetime import datetime

from factmill.schemas.errors import CorruptStore, NoIndex, OptionError
from factmill.schemas.storage.atomic import is_whole_folder, write_text
from factmill.schemas.storage.paths import StoragePath, check_below, folders_in, read_start

SETTINGS = "00_settings"
CAPTURES = "12_captures"
MODELS = "30_models"
INDEX = "50_index"
MANIFEST = "manifest.json"
SHARD_PREFIX = "shard="
PART = "part-000.parquet"

# What of CURRENT is read: more than an id can have.
_MAX_CURRENT = 1000
_BUILD_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]{0,99}")
_WRITTEN_ID = re.compile(r"[0-9]{8}T[0-9]{9}Z-[0-9a-f]{8}")


def shard_name(shard: int) -> str:
    """Folder of a shard: a Hive partition, so DuckDB and pyarrow see a `shard` column."""
    return f"{SHARD_PREFIX}{shard:03d}"


def new_build_id(moment: datetime, fingerprint: str) -> str:
    """Id of a build that begins at a moment, in UTC. Ids sort by time."""
    return f"{moment.strftime('%Y%m%dT%H%M%S%f')[:-3]}Z-{fingerprint[:8]}"


def is_written_id(build_id: str) -> bool:
    """Whether `new_build_id` gives such ids. Other names can be read, but are not removed."""
    return _WRITTEN_ID.fullmatch(build_id) is not None


def is_of_shard(name: str, shard: int) -> bool:
    """Whether a file of a build belongs to a shard, or to all."""
    folders = [part for part in name.split("/") if part.startswith(SHARD_PREFIX)]
    return folders in ([], [shard_name(shard)])


@dataclass(frozen=True, slots=True)
class BuildDir:
    """The folder of one build."""

    root: StoragePath

    @property
    def build_id(self) -> str:
        return self.root.name

    @property
    def manifest(self) -> StoragePath:
        return self.root / MANIFEST

    @property
    def settings(self) -> StoragePath:
        return self.root / SETTINGS / "build.json"

    @property
    def stages(self) -> StoragePath:
        """What each stage of the build was run with."""
        return self.root / SETTINGS / "stages.json"

    @property
    def work(self) -> StoragePath:
        return self.root / ".work"

    @property
    def store(self) -> Store:
        return Store(self.root.parent.parent)

    @property
    def models(self) -> StoragePath:
        return self.root / MODELS

    @property
    def hash_head(self) -> StoragePath:
        return self.models / "hash_head.safetensors"

    @property
    def retrain(self) -> StoragePath:
        """Present in a build that is to learn its models anew."""
        return self.work / "retrain"

    @property
    def tuned_encoder(self) -> StoragePath:
        """Folder of the encoder that the build tuned, if it did."""
        return self.models / "encoder"

    def has_tuned_encoder(self) -> bool:
        return is_whole_folder(self.tuned_encoder)

    @property
    def query_encoder(self) -> StoragePath:
        """Folder of the encoder as queries need it, if the build could publish it."""
        return self.models / "query_encoder"

    @property
    def query_encoder_card(self) -> StoragePath:
        """What the published encoder is; written last."""
        return self.query_encoder / "card.json"

    def has_query_encoder(self) -> bool:
        return self.query_encoder_card.is_file()

    def span_model(self, name: str) -> StoragePath:
        """Folder of a small model of answers, if the build has it."""
        return self.models / name

    @property
    def link_scorer(self) -> StoragePath:
        """Folder of the scorer of links, if the build or one before it trained one."""
        return self.models / "link_scorer"

    def check_links(self) -> None:
        """Raises CorruptStore when the folder or its manifest is a link out of the store."""
        check_below(self.store.root, self.manifest)

    def shard(self, table: str, shard: int) -> StoragePath:
        return self.root / table / shard_name(shard)

    def part(self, table: str, shard: int) -> StoragePath:
        """The Parquet file of a table's shard."""
        return self.shard(table, shard) / PART


@dataclass(frozen=True, slots=True)
class Store:
    """A folder of builds, here or in an object store; one of them is published."""

    root: StoragePath

    @property
    def current(self) -> StoragePath:
        return self.root / "CURRENT"

    @property
    def builds_folder(self) -> StoragePath:
        return self.root / "builds"

    def build(self, build_id: str) -> BuildDir:
        if not _BUILD_ID.fullmatch(build_id):
            raise CorruptStore(f"{self.root}: {build_id!r} is not a build id")
        return BuildDir(self.builds_folder / build_id)

    def complete(self, build_id: str, option: str = "--build") -> BuildDir:
        """The complete build of the id that an option gave. Raises OptionError when there is
        none."""
        try:
            build = self.build(build_id)
        except CorruptStore:
            raise OptionError(f"{option} {build_id}: not a build id") from None
        if not build.manifest.is_file():
            raise OptionError(f"{option} {build_id}: no complete build of this id in {self.root}")
        return build

    def readings(self, reader: str, shard: int) -> StoragePath:
        """Folder of what the reader of that fingerprint, an LLM, said of a shard's segments."""
        return self.root / "readings" / reader / shard_name(shard)

    def builds(self) -> list[BuildDir]:
        """All builds, finished or not, oldest first."""
        return [BuildDir(path) for path in folders_in(self.builds_folder)]

    def published(self) -> BuildDir:
        """The published build. Raises NoIndex, CorruptStore or Unreachable."""
        check_below(self.root, self.current)
        try:
            build = self.build(read_start(self.current, _MAX_CURRENT).decode("ascii").strip())
        except (FileNotFoundError, NotADirectoryError):
            raise NoIndex(f"{self.root}: nothing is published there") from None
        except (OSError, UnicodeDecodeError) as error:
            raise CorruptStore(f"{self.current}: {error}") from None
        build.check_links()
        if not build.manifest.is_file():
            raise CorruptStore(f"{self.root}: CURRENT names {build.build_id}, which is incomplete")
        return build

    def publish(self, build: BuildDir) -> None:
        """Make a complete build the published one, atomically."""
        write_text(self.current, build.build_id + "\n")
