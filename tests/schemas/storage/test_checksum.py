from __future__ import annotations

import hashlib
from pathlib import Path

from factmill.schemas.storage.checksum import sha256_of


def test_sha256_of_a_large_file_is_that_of_its_bytes(tmp_path: Path) -> None:
    data = bytes(range(256)) * 10_000
    (tmp_path / "f").write_bytes(data)

    assert sha256_of(tmp_path / "f") == hashlib.sha256(data).hexdigest()
