"""The manifest: what a build holds and how it came about. Written last, so present = complete."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from typing import Any

from factmill.schemas.errors import CorruptStore, WrongFormat
from factmill.schemas.layout import SHARD_PREFIX, BuildDir
from factmill.schemas.storage.atomic import write_text
from factmill.schemas.storage.paths import read_start

# 2: an index with delta-coded postings and with inverted lists of short codes. The tables are those
# of 1, so builds go on from it; an index of format 1 must be built again.
FORMAT_VERSION = 2
OLDEST_TABLES = 1
# The LLM figures of a manifest, beside seconds.
TOKEN_COUNTS = (
    "calls",
    "prompt_tokens",
    "completion_tokens",
    "tokens_new",
    "tokens_reused",
    "segments_new",
    "segments_reused",
)
# Far more than any build needs; a longer file is not a manifest.
_MAX_BYTES = 1 << 28
_MAX_SHARDS = 100_000
_CHECKSUMS_SINCE = 2
# The limit of file systems, in bytes.
_MAX_PATH_BYTES, _MAX_NAME_BYTES = 1000, 255


@dataclass(frozen=True, slots=True)
class FileEntry:
    """One file of a build. `path` is relative to the build's folder, with forward slashes."""

    path: str
    rows: int
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class TableEntry:
    """All files of one numbered folder; `rows` is 0 where rows have no meaning (models)."""

    rows: int
    files: tuple[FileEntry, ...]


@dataclass(frozen=True, slots=True)
class StageCounts:
    """Records that entered a stage and what became of them: records_in = records_out + rejected.

    `produced` counts, by table, the rows written for `records_out`; also how many of them were
    taken over (`reused`, `kept`), and for the stage `ledger` calls and tokens.
    """

    records_in: int = 0
    records_out: int = 0
    rejected: dict[str, int] = field(default_factory=dict)
    produced: dict[str, int] = field(default_factory=dict)

    @property
    def balanced(self) -> bool:
        return self.records_in == self.records_out + sum(self.rejected.values())

    def __add__(self, other: StageCounts) -> StageCounts:
        return StageCounts(
            self.records_in + other.records_in,
            self.records_out + other.records_out,
            _sum(self.rejected, other.rejected),
            _sum(self.produced, other.produced),
        )

    def as_json(self) -> dict[str, Any]:
        return {
            "in": self.records_in,
            "out": self.records_out,
            "rejected": self.rejected,
            "produced": self.produced,
        }

    @classmethod
    def from_json(cls, raw: dict[str, Any]) -> StageCounts:
        return cls(raw["in"], raw["out"], raw["rejected"], raw["produced"])


def _sum(a: dict[str, int], b: dict[str, int]) -> dict[str, int]:
    return {key: a.get(key, 0) + b.get(key, 0) for key in sorted({*a, *b})}


@dataclass(frozen=True, slots=True)
class Manifest:
    """The facts about a build that `docs/artifacts.md` documents."""

    build_id: str
    parent: str | None
    created_at: str
    code_version: str
    configuration: dict[str, Any]
    fingerprints: dict[str, str]
    tables: dict[str, TableEntry]
    counts: dict[str, StageCounts]
    llm: dict[str, int]
    timings: dict[str, float]
    format_version: int = FORMAT_VERSION

    @property
    def shards(self) -> int:
        return int(self.configuration["shards"])

    def counted(self, stage: str) -> StageCounts:
        """The counts of a stage; zeros where a forged manifest has none."""
        return self.counts.get(stage, StageCounts())

    def write(self, build: BuildDir) -> None:
        raw = asdict(self)
        raw["counts"] = {stage: counts.as_json() for stage, counts in self.counts.items()}
        raw["checksum"] = _checksum(raw)
        write_text(build.manifest, json.dumps(raw, indent=1, sort_keys=True) + "\n")


def read_manifest(build: BuildDir, oldest: int = FORMAT_VERSION) -> Manifest:
    """Read a manifest. Raises WrongFormat for a format version newer than ours or older than
    `oldest`, CorruptStore for an unreadable file.
    """
    try:
        content = read_start(build.manifest, _MAX_BYTES + 1)
        if len(content) > _MAX_BYTES:
            raise CorruptStore(f"{build.manifest}: longer than a manifest can be")
        raw = json.loads(content)
        version = raw["format_version"]
        if version not in range(oldest, FORMAT_VERSION + 1):
            raise WrongFormat(f"{build.root}: {_wrong_format(version)}")
        checksum = raw.pop("checksum", None)
        if checksum != _checksum(raw) and (checksum is not None or version >= _CHECKSUMS_SINCE):
            raise CorruptStore(f"{build.manifest}: not what was written")
        json.dumps(raw, ensure_ascii=False).encode()  # no lone surrogates
        tables = {
            name: TableEntry(entry["rows"], tuple(FileEntry(**file) for file in entry["files"]))
            for name, entry in raw.pop("tables").items()
        }
        counts = {stage: StageCounts.from_json(entry) for stage, entry in raw.pop("counts").items()}
        manifest = Manifest(**raw, tables=tables, counts=counts)
        _check_types(manifest)
        return manifest
    except FileNotFoundError:
        raise CorruptStore(f"{build.root}: no manifest.json, the build is incomplete") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise CorruptStore(f"{build.manifest}: not a manifest ({error})") from None


def _wrong_format(version: object) -> str:
    found = f"format {version!r}, this version reads {FORMAT_VERSION}"
    if isinstance(version, int) and OLDEST_TABLES <= version < FORMAT_VERSION:
        return f"{found}; the next factmill build in this store writes it"
    return found


def _checksum(raw: dict[str, Any]) -> str:
    """SHA-256 over all other fields of a manifest."""
    return hashlib.sha256(json.dumps(raw, sort_keys=True).encode()).hexdigest()


def _check_types(manifest: Manifest) -> None:
    """Raises ValueError for wrong types, which would otherwise fail where they are used."""
    configuration = manifest.configuration
    shards = configuration["shards"]
    if type(shards) is not int or not 0 < shards <= _MAX_SHARDS:
        raise ValueError(f"{shards!r} shards")
    if not isinstance(configuration["encoder"], str):
        raise ValueError("its encoder has no name")
    _check_name(configuration["encoder"])
    if not all(isinstance(value, str) for value in manifest.fingerprints.values()):
        raise ValueError("a fingerprint is not a text")
    for entry in manifest.tables.values():
        numbers = [entry.rows]
        for file in entry.files:
            numbers += [file.rows, file.bytes]
            if not isinstance(file.path, str):
                raise ValueError("a file has no name")
            _check_path(file.path, shards)
        if any(type(number) is not int for number in numbers):
            raise ValueError("a number of rows or bytes is not an integer")
    for counts in manifest.counts.values():
        numbers = [counts.records_in, counts.records_out]
        numbers += [*counts.rejected.values(), *counts.produced.values()]
        if any(type(number) is not int for number in numbers):
            raise ValueError("a count is not an integer")
    if any(type(number) is not int or number.bit_length() > 63 for number in manifest.llm.values()):
        raise ValueError("a cost of the LLM is not an integer")
    if not isinstance(manifest.created_at, str) or not isinstance(manifest.parent, str | None):
        raise ValueError("its time or its parent is not a text")


def _check_path(path: str, shards: int) -> None:
    """Raises ValueError for a file path that leaves the build's folder or names a shard that the
    build lacks.
    """
    _check_name(path)
    parts = path.split("/")
    if any(part in ("", ".", "..") for part in parts):
        raise ValueError(f"{path!r} is not below the build")
    for part in parts:
        number = part.removeprefix(SHARD_PREFIX)
        if number != part and not (number.isdecimal() and int(number) < shards):
            raise ValueError(f"{path!r} is in none of its {shards} shards")


def _check_name(name: str) -> None:
    """Raises ValueError for a name that no file system accepts."""
    longest = max(len(part.encode()) for part in name.split("/"))
    if "\0" in name or len(name.encode()) > _MAX_PATH_BYTES or longest > _MAX_NAME_BYTES:
        raise ValueError(f"{name[:40]!r} is not a file name, or too long")
