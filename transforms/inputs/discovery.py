"""From input patterns to splits: pieces of work of about equal size, in a stable order."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from schemas.errors import OptionError
from transforms.inputs.compression import DAMAGED, FileKind, kind_of

_FILES_PER_SPLIT = 64
_ROWS_PER_SPLIT = 4096


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file and the folder its ids are relative to. Size and time tell whether it changed."""

    path: str
    root: str
    size: int
    modified_ns: int

    @property
    def name(self) -> str:
        """The path below the input folder, with forward slashes."""
        name = Path(self.path).relative_to(self.root).as_posix()
        return os.fsencode(name).decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Split:
    """Files read together, or a range of rows of one Parquet file."""

    ordinal: int
    kind: FileKind
    files: tuple[InputFile, ...]
    row_start: int = 0
    row_stop: int = 0


def find_inputs(patterns: Sequence[str]) -> list[InputFile]:
    """The files that patterns name: files, folders (walked) and globs; each file once.

    Raises OptionError for a pattern that names nothing.
    """
    found: dict[str, InputFile] = {}
    for pattern in patterns:
        if "://" in pattern:
            raise OptionError(f"--input {pattern}: only local files can be read")
        root, paths = _matches(pattern)
        if not paths:
            raise OptionError(f"--input {pattern}: no such file")
        for path in paths:
            status = path.stat()
            key = str(path.resolve())
            found.setdefault(
                key, InputFile(str(path), str(root), status.st_size, status.st_mtime_ns)
            )
    return [found[key] for key in sorted(found, key=lambda key: (found[key].name, key))]


def _matches(pattern: str) -> tuple[Path, list[Path]]:
    path = Path(pattern)
    if path.is_file():
        return path.parent, [path]
    if path.is_dir():
        return path, _files_below(path)
    root = path
    while glob.has_magic(str(root)):
        root = root.parent
    paths: list[Path] = []
    for match in sorted(glob.glob(pattern, recursive=True)):
        found = Path(match)
        if not _through_link(root, found):
            paths.extend(_files_below(found) if found.is_dir() else [found])
    return root, [path for path in paths if path.is_file()]


def _through_link(root: Path, path: Path) -> bool:
    """Whether a folder between them is a link: those are not followed, because they may loop."""
    folders = path.relative_to(root).parents
    return any((root / folder).is_symlink() for folder in folders if folder != Path())


def _files_below(folder: Path) -> list[Path]:
    """Visible files below a folder. Links are followed to files, not to folders (no loops)."""
    return [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not any(p.startswith(".") for p in path.relative_to(folder).parts)
    ]


def plan_splits(files: Sequence[InputFile]) -> list[Split]:
    """Group small files, divide large tables. The same files give the same splits."""
    splits: list[Split] = []
    pages: list[InputFile] = []
    for file in files:
        kind = _kind(file)
        if kind == "html":
            pages.append(file)
        elif kind == "parquet":
            rows = _parquet_rows(file)
            for start in range(0, max(rows, 1), _ROWS_PER_SPLIT):
                stop = min(start + _ROWS_PER_SPLIT, rows)
                splits.append(Split(len(splits), kind, (file,), start, stop))
        else:
            splits.append(Split(len(splits), kind, (file,)))
    for start in range(0, len(pages), _FILES_PER_SPLIT):
        splits.append(Split(len(splits), "html", tuple(pages[start : start + _FILES_PER_SPLIT])))
    return splits


def _kind(file: InputFile) -> FileKind:
    try:
        return kind_of(Path(file.path))
    except DAMAGED:
        return "unknown"  # reading it will say why


def _parquet_rows(file: InputFile) -> int:
    try:
        return int(pq.read_metadata(file.path).num_rows)
    except (OSError, pa.ArrowException):
        return 0
