"""Notes of a build about its stages: the fingerprint of each, and the parent build."""

from __future__ import annotations

import json

from factmill.schemas.layout import BuildDir
from factmill.schemas.storage.atomic import write_text
from factmill.schemas.storage.paths import read_text


def save_stages(build: BuildDir, fingerprints: dict[str, str], follows: str | None) -> None:
    """Note the stage fingerprints of a new build, and the published build it follows, if any."""
    raw = {"stages": fingerprints, "follows": follows}
    write_text(build.stages, json.dumps(raw, indent=1, sort_keys=True) + "\n")


def read_stages(build: BuildDir) -> tuple[dict[str, str], str | None]:
    """The notes of `save_stages`; empty when they cannot be read."""
    try:
        raw = json.loads(read_text(build.stages))
        return dict(raw["stages"]), raw["follows"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return {}, None
