"""From input patterns to splits: tasks of about equal size, in a stable order."""

from __future__ import annotations

import glob
import os
import re
import stat
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from factmill.schemas.errors import OptionError
from factmill.schemas.parquet_footers import checked_metadata, rows_of_groups
from factmill.schemas.storage.object_stat import ObjectStat
from factmill.schemas.storage.paths import (
    StoragePath,
    as_storage_path,
    is_remote,
    is_url,
    local_copy,
    map_paths,
    name_below,
    open_seekable,
)
from factmill.transforms.inputs.compression import DAMAGED, FileKind, file_kind
from factmill.transforms.inputs.files_of_stores import FilesOfStores
from factmill.transforms.inputs.object_inputs import find_objects, kind_by_start
from factmill.transforms.inputs.raw_page import clean_id
from factmill.transforms.inputs.sitemaps import Location, locate

_PAGE_KINDS: tuple[FileKind, ...] = ("html", "markdown", "text")
# A split writes a file for each shard: with 256 pages in it that takes 0.13 ms of processor time a
# page, with 64 it takes 0.36. Few pages are in small ones, so that all processes have some.
_MIN_FILES, _MAX_FILES = 64, 256
# So many are even shares for 2, 3, 4, 6, 8 or 12 processes.
_EVEN_SPLITS = 24
_ROWS_PER_SPLIT = 4096
# Each split of a row group decodes it from its start, so there are few splits.
_SPLITS_PER_ROW_GROUP = 16
_LINE_BREAKS = re.compile(r"[\t\n\r\x85]")
_NOT_THERE = -1


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file and the folder its ids are relative to. Size and time tell whether it changed.

    `leads_out`: the file is a link that is not followed: out of the folder, or to another folder.
    Both are -1 when nothing is there, as behind a link that leads nowhere.
    """

    path: str
    root: str
    size: int
    modified_ns: int
    leads_out: bool = False

    @property
    def absent(self) -> bool:
        """Whether nothing was there to read. When something is, size and time change."""
        return self.size == _NOT_THERE and not self.leads_out

    @property
    def name(self) -> str:
        """The path below the input folder, with forward slashes, as it can be stored."""
        name = name_below(as_storage_path(self.path), as_storage_path(self.root))
        return clean_id(_LINE_BREAKS.sub("\ufffd", os.fsencode(name).decode("utf-8", "replace")))


@dataclass(frozen=True, slots=True)
class Split:
    """Files read together, or a range of rows of one Parquet file. Files with one page each are
    read together with others of their input folder.

    `locations` are those of the files, in order; empty when no file has one.
    """

    ordinal: int
    kind: FileKind
    files: tuple[InputFile, ...]
    row_start: int = 0
    row_stop: int = 0
    locations: tuple[Location, ...] = ()

    @property
    def source(self) -> str:
        """The unit in which pages are counted: the path of a file of many pages, or the input
        folder of files with one page each.
        """
        file = self.files[0]
        return file.root if self.kind in _PAGE_KINDS else file.path


def find_inputs(
    patterns: Sequence[str], follow_links: bool = False, store: StoragePath | None = None
) -> list[InputFile]:
    """The files that patterns name: files, folders (walked) and globs; each file once. Files of the
    `store` that is built, and of other stores, are left out.

    A link in a folder to a file outside of it is marked as not to be read, unless `follow_links`; a
    link to a folder always is, unless what is in there is found by another way. Raises OptionError
    for a pattern that matches nothing.
    """
    found: dict[str, InputFile] = {}
    of_stores = FilesOfStores(store)
    for pattern in patterns:
        if not pattern:
            raise OptionError("--input: a pattern is empty")
        if is_url(pattern):
            root, objects = find_objects(pattern)
            objects = {
                path: status for path, status in objects.items() if not of_stores.have(path, root)
            }
            if not objects:
                raise OptionError(f"--input {pattern}: no such object")
            found |= {str(path): _input(path, root, status) for path, status in objects.items()}
            continue
        try:
            folder, paths = _matches(pattern)
        except OSError as error:  # name too long, or no permission to enter a folder
            raise OptionError(f"--input {pattern}: {error.strerror}") from None
        named, inside = Path(pattern), folder.resolve()
        paths = [path for path in paths if path == named or not of_stores.have(path, folder)]
        if not paths:
            there = "no file in this folder" if Path(pattern).is_dir() else "no such file"
            raise OptionError(f"--input {pattern}: {there}")
        for path in paths:
            status, target = _status(path), _target(path)
            # Whether links lead to a file outside the folder.
            leads_out = not (follow_links or path == named or target.is_relative_to(inside))
            leads_out = leads_out or _is_linked_folder(path)
            key = str(path.absolute() if leads_out or status is None else target)
            found.setdefault(key, _input(path, folder, status, leads_out))
    return [found[key] for key in sorted(found, key=lambda key: (found[key].name, key))]


def input_file(path: StoragePath) -> InputFile:
    """An existing file in its current state."""
    path = path.resolve()
    return _input(path, path.parent, path.stat())


def _input(
    path: StoragePath,
    root: StoragePath,
    status: os.stat_result | ObjectStat | None,
    leads_out: bool = False,
) -> InputFile:
    size = status.st_size if status else _NOT_THERE
    modified_ns = status.st_mtime_ns if status else _NOT_THERE
    return InputFile(str(path), str(root), size, modified_ns, leads_out)


def _status(path: Path) -> os.stat_result | None:
    """None for a file that vanished after it was listed, and for a link that leads nowhere."""
    try:
        return path.stat()
    except OSError:
        return None


def _target(path: Path) -> Path:
    """Where links lead, also if nothing is there (Path.resolve raises RuntimeError for loops)."""
    return Path(os.path.realpath(path))


def _is_linked_folder(path: Path) -> bool:
    return path.is_symlink() and path.is_dir()


def _matches(pattern: str) -> tuple[Path, list[Path]]:
    path = Path(pattern)
    if path.is_file():
        return path.parent, [path]
    if path.is_dir():
        return path, _files_below(path)
    if not glob.has_magic(pattern):
        return path.parent, []
    root = path
    while glob.has_magic(str(root)):
        root = root.parent
    matches = [Path(match) for match in sorted(glob.glob(pattern, recursive=True))]
    links = {match: link for match in matches if (link := _link_between(root, match))}
    direct = [match for match in matches if match not in links]
    paths = [file for match in direct for file in _files_of(match)]
    by_other_ways = set(map(_target, direct + paths)) if links else set()
    paths += {link for match, link in links.items() if _target(match) not in by_other_ways}
    return root, [path for path in paths if _may_be_read(path)]


def _files_of(path: Path) -> list[Path]:
    return _files_below(path) if path.is_dir() else [path]


def _link_between(root: Path, path: Path) -> Path | None:
    """The first folder between them that is a link: those are not followed, as they may loop."""
    folders = [root / folder for folder in path.relative_to(root).parents if folder != Path()]
    return next((folder for folder in reversed(folders) if folder.is_symlink()), None)


def _files_below(folder: Path) -> list[Path]:
    """Visible files below a folder, and what becomes a reject when read: folders that cannot be
    opened, links that lead nowhere, and links to folders outside of it.

    Links to files are followed, links to folders are not (loops). Pipes and devices are left out.
    """
    found: list[Path] = []
    closed: list[OSError] = []
    inside = _target(folder)
    for parent, folders, files in os.walk(folder, onerror=closed.append):
        folders[:] = [name for name in folders if not name.startswith(".")]
        links = (path for name in folders if (path := Path(parent, name)).is_symlink())
        found += [link for link in links if not _is_walked(_target(link), inside)]
        paths = (Path(parent, name) for name in files if not name.startswith("."))
        found += [path for path in paths if _may_be_read(path)]
    found += [Path(error.filename) for error in closed]
    return sorted(found)


def _is_walked(folder: Path, inside: Path) -> bool:
    """Whether a walk of the folder `inside` comes to the other one without a link."""
    if not folder.is_relative_to(inside):
        return False
    return not any(name.startswith(".") for name in folder.relative_to(inside).parts)


def _may_be_read(path: Path) -> bool:
    """Whether this is not a pipe or device. Reading what is not there gives a reject."""
    status = _status(path)
    return status is None or stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)


def plan_splits(files: Sequence[InputFile]) -> list[Split]:
    """Group small files and divide large tables. The same files give the same splits."""
    splits: list[Split] = []
    by_kind: dict[FileKind, list[InputFile]] = defaultdict(list)
    for file in files:
        if file.leads_out:
            splits.append(Split(len(splits), "unknown", (file,)))
    files = [file for file in files if not file.leads_out]
    kinds = map_paths(_kind, [as_storage_path(file.path) for file in files])
    for file, kind in zip(files, kinds, strict=True):
        by_kind[kind].append(file)
        if kind == "parquet":
            rows, step = _parquet_rows(file)
            for start in range(0, max(rows, 1), step):
                stop = min(start + step, rows)
                splits.append(Split(len(splits), kind, (file,), start, stop))
        elif kind not in _PAGE_KINDS:
            splits.append(Split(len(splits), kind, (file,)))
    pages = [file.path for kind in _PAGE_KINDS for file in by_kind[kind]]
    located = locate([file.path for file in by_kind["sitemap"]], pages)
    for kind in _PAGE_KINDS:
        for together in _page_groups(by_kind[kind]):
            locations = tuple(located.get(file.path, Location()) for file in together)
            if not any(location.url for location in locations):
                locations = ()
            splits.append(Split(len(splits), kind, together, locations=locations))
    return splits


def _page_groups(files: Sequence[InputFile]) -> Iterator[tuple[InputFile, ...]]:
    """Files of one input folder, as many as fit a split."""
    by_root: dict[str, list[InputFile]] = defaultdict(list)
    for file in files:
        by_root[file.root].append(file)
    for together in by_root.values():
        step = files_per_split(len(together))
        for start in range(0, len(together), step):
            yield tuple(together[start : start + step])


def files_per_split(files: int) -> int:
    """How many of the page files in a folder make a split."""
    return min(_MAX_FILES, max(_MIN_FILES, -(-files // _EVEN_SPLITS)))


def _kind(path: StoragePath) -> FileKind:
    try:
        return kind_by_start(path) if is_remote(path) else file_kind(local_copy(path))
    except DAMAGED:
        return "unknown"  # reading it will say why


def _parquet_rows(file: InputFile) -> tuple[int, int]:
    """The number of rows of the table, and how many make a split."""
    path = as_storage_path(file.path)
    try:
        with open_seekable(path) as opened:
            groups = rows_of_groups(checked_metadata(opened))
    except (OSError, ValueError, pa.ArrowException):
        return 0, _ROWS_PER_SPLIT  # reading it will say why
    largest = max(groups, default=0)
    return sum(groups), max(_ROWS_PER_SPLIT, largest // _SPLITS_PER_ROW_GROUP)
