from __future__ import annotations

from pathlib import Path

import pytest

from tests.object_builds import FirstNight
from tests.object_builds import night_of_files as build_night


@pytest.fixture(scope="session")
def night_of_files(run_folder: Path, small_encoder: str) -> FirstNight:
    """What nights of objects are compared with. Tests must not change it."""
    return build_night(run_folder / "night-of-files", small_encoder)
