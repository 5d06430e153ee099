"""The checksum of a file, as manifests hold it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from factmill.schemas.storage.local_storage import open_regular
from factmill.schemas.storage.paths import StoragePath, local_copy


def sha256_of(path: StoragePath, at_block: Callable[[], object] | None = None) -> str:
    """Hexadecimal SHA-256 of a file, read block by block. `at_block` is called after each block and
    may raise.
    """
    digest = hashlib.sha256()
    with open_regular(local_copy(path)) as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
            if at_block is not None:
                at_block()
    return digest.hexdigest()
