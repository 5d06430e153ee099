"""Paths inside a store.

STORE/CURRENT                                   id of the published build
STORE/builds/<build id>/manifest.json           written last: present means complete
STORE/builds/<build id>/<table>/shard=007/*.parquet
STORE/builds/<build id>/.work/                  spools and progress; removed once published
STORE/readings/<reader>/shard=007/*.jsonl       answers of an LLM, for this build and later ones
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

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

# At most this much of CURRENT is read; an id is shorter.
_MAX_CURRENT = 1000
_BUILD_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]{0,99}")
_MOMENT = "%Y%m%dT%H%M%S%f"
_MILLISECOND = timedelta(milliseconds=1)
_WRITTEN_ID = re.compile(r"[0-9]{8}T[0-9]{9}Z-[0-9a-f]{8}")


def shard_name(shard: int) -> str:
    """Folder name of a shard. It is a Hive partition, so DuckDB and pyarrow see a
    `shard` column.
    """
    return f"{SHARD_PREFIX}{shard:03d}"


def new_build_id(moment: datetime, fingerprint: str) -> str:
    """Id of a build that begins at `moment` (UTC). Ids sort by time."""
    return f"{moment.strftime(_MOMENT)[:-3]}Z-{fingerprint[:8]}"


def _moment_of(build_id: str) -> datetime | None:
    """When a build began; None for an id of another form."""
    if not is_build_id(build_id):
        return None
    try:
        return datetime.strptime(build_id.partition("Z-")[0], _MOMENT).replace(tzinfo=timezone.utc)
    except ValueError:  # no day or time of a calendar
        return None


def is_build_id(build_id: str) -> bool:
    """Whether an id has the form that `new_build_id` makes. Builds with other names are read, but
    never removed.
    """
    return _WRITTEN_ID.fullmatch(build_id) is not None


def is_of_shard(name: str, shard: int) -> bool:
    """Whether a file of a build belongs to this shard, or to all shards."""
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
        """The fingerprints and the parent that the build's stages ran with."""
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
        """A marker file: present in a build that must learn its models anew."""
        return self.work / "retrain"

    @property
    def rolled_back(self) -> StoragePath:
        """A marker file: present in a build that was published and then taken back."""
        return self.root / ".rolled_back"

    def was_published(self) -> bool:
        """Whether CURRENT once named it, and nobody took it back. A complete build that was kept
        unpublished has its working folder still.
        """
        once = self.manifest.is_file() and not self.work.is_dir()
        return once and not self.rolled_back.is_file()

    @property
    def tuned_encoder(self) -> StoragePath:
        """Folder of the encoder that the build fine-tuned, if any."""
        return self.models / "encoder"

    def has_tuned_encoder(self) -> bool:
        return is_whole_folder(self.tuned_encoder)

    @property
    def query_encoder(self) -> StoragePath:
        """Folder of the encoder in the form that queries use, if the build published it."""
        return self.models / "query_encoder"

    @property
    def query_encoder_card(self) -> StoragePath:
        """The card of the published encoder; written last."""
        return self.query_encoder / "card.json"

    def has_query_encoder(self) -> bool:
        return self.query_encoder_card.is_file()

    def span_model(self, name: str) -> StoragePath:
        """Folder of a small answer model, if the build has it."""
        return self.models / name

    @property
    def link_scorer(self) -> StoragePath:
        """Folder of the link scorer, if this build or an earlier one trained it."""
        return self.models / "link_scorer"

    def check_links(self) -> None:
        """Raises CorruptStore when the folder or its manifest is a symbolic link out of
        the store.
        """
        check_below(self.store.root, self.manifest)

    def shard(self, table: str, shard: int) -> StoragePath:
        return self.root / table / shard_name(shard)

    def part(self, table: str, shard: int) -> StoragePath:
        """The Parquet file of a table's shard."""
        return self.shard(table, shard) / PART


@dataclass(frozen=True, slots=True)
class Store:
    """A folder of builds, local or in an object store; one of them is published."""

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
        """The complete build with the id given in `option`. Raises OptionError when
        there is none.
        """
        try:
            build = self.build(build_id)
        except CorruptStore:
            raise OptionError(f"{option} {build_id}: not a build id") from None
        if not build.manifest.is_file():
            raise OptionError(f"{option} {build_id}: no complete build of this id in {self.root}")
        return build

    def new_build(self, now: datetime, fingerprint: str) -> BuildDir:
        """A build whose id sorts behind all others, also when the clock was set back."""
        begun = filter(None, (_moment_of(build.build_id) for build in self.builds()))
        moment = max([now, *(other + _MILLISECOND for other in begun)])
        return self.build(new_build_id(moment, fingerprint))

    def readings(self, reader: str, shard: int) -> StoragePath:
        """Folder of an LLM's answers about a shard's segments; `reader` is the reader's
        fingerprint.
        """
        return self.root / "readings" / reader / shard_name(shard)

    def builds(self) -> list[BuildDir]:
        """All builds, finished or not, oldest first."""
        return [BuildDir(path) for path in folders_in(self.builds_folder)]

    def published(self) -> BuildDir:
        """The published build. Raises NoIndex, CorruptStore or Unreachable."""
        check_below(self.root, self.current)
        try:
            name = read_start(self.current, _MAX_CURRENT).decode("ascii").strip()
        except (FileNotFoundError, NotADirectoryError):
            raise NoIndex(f"{self.root}: nothing is published there") from None
        except (OSError, UnicodeDecodeError) as error:
            raise CorruptStore(f"{self.current}: {error}") from None
        if not _BUILD_ID.fullmatch(name):
            raise CorruptStore(
                f"{self.current}: {name[:100]!r} is not a build id; rollback --to ID"
                " publishes a build again"
            )
        build = self.build(name)
        build.check_links()
        if not build.manifest.is_file():
            raise CorruptStore(f"{self.root}: CURRENT names {build.build_id}, which is incomplete")
        return build

    def publish(self, build: BuildDir) -> None:
        """Make a complete build the published one, atomically."""
        write_text(self.current, build.build_id + "\n")
