"""Inputs in an object store: finds them and their formats without downloading them."""

from __future__ import annotations

from contextlib import suppress
from glob import has_magic

from factmill.schemas.errors import OptionError
from factmill.schemas.storage.object_paths import ObjectPath
from factmill.schemas.storage.object_stat import ObjectStat
from factmill.schemas.storage.paths import (
    StoragePath,
    is_url,
    local_copy,
    parse_object_path,
    read_start,
    scratch_folder,
)
from factmill.transforms.inputs.compression import DAMAGED, FileKind, file_kind

# Bytes needed to detect a format, compressed or not.
_HEAD_BYTES = 1 << 16


def find_objects(pattern: str) -> tuple[ObjectPath, dict[ObjectPath, ObjectStat]]:
    """The objects that a URL names: one object, all below a folder, or a glob's; and the folder
    that their names are relative to. Hidden ones are left out. Raises OptionError for a URL that is
    not an object store's.
    """
    folder = pattern
    while has_magic(folder):
        folder = folder.rpartition("/")[0]
    if not is_url(folder):
        raise OptionError(f"--input {pattern}: no bucket")
    try:
        root = parse_object_path(folder)
    except OptionError as error:
        raise OptionError(f"--input {error}") from None
    if folder != pattern:
        found: dict[ObjectPath, ObjectStat] = {}
        for path, status in root.glob_url(pattern).items():
            found |= {path: status} if status else path.files()
    else:
        with suppress(FileNotFoundError):
            return root.parent, {root: root.stat()}
        found = root.files()
    return root, {
        path: status
        for path, status in found.items()
        if not any(part.startswith(".") for part in path.relative_to(root).parts)
    }


def kind_by_start(path: StoragePath) -> FileKind:
    """The format of a remote file, by its first bytes if they suffice. Raises as `file_kind`."""
    with scratch_folder(path) as scratch:
        # Its beginning and its end are looked at, and it may be longer than a file's can be.
        head = scratch / (path.name if len(path.name.encode()) < 256 else path.name[-60:])
        head.write_bytes(read_start(path, _HEAD_BYTES))
        with suppress(*DAMAGED):
            kind = file_kind(head)
            if kind != "unknown" or head.stat().st_size < _HEAD_BYTES:
                return kind
    # A dictionary may take up all of the beginning.
    return file_kind(local_copy(path))
