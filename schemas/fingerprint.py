"""Fingerprints of code: results computed by different code are not reused.

The sources themselves are hashed, so nobody can forget to raise a version number.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

_TOP = Path(__file__).resolve().parent.parent
_PATTERNS = ("*.py", "*.npz", "*.safetensors", "*.json")
PACKAGES = ("schemas", "models", "transforms", "pipelines", "runtime")


@cache
def code_fingerprint(sources: Sequence[str] = PACKAGES) -> str:
    """16 hexadecimal digits over sources: files, or folders with their Python files and trained
    models: weights and JSON.

    Paths are relative to the folder that holds the packages, e.g. ("models/readers",).
    """
    digest = hashlib.sha256()
    for source in sources:
        path = _TOP / source
        within = [file for pattern in _PATTERNS for file in path.rglob(pattern)]
        for file in sorted(within) if path.is_dir() else [path]:
            digest.update(file.relative_to(_TOP).as_posix().encode() + b"\0")
            digest.update(file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]
