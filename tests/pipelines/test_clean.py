from __future__ import annotations

from pathlib import Path

import pytest

from factmill.pipelines.clean import clean
from factmill.pipelines.job import Job
from factmill.pipelines.runners.run_job import RunOptions
from factmill.pipelines.settings import BuildSettings
from factmill.schemas.errors import BuildError
from factmill.schemas.layout import Store


def test_pages_that_cannot_be_kept_are_not_lost_without_a_word(tmp_path: Path) -> None:
    store = Store(tmp_path)
    settings = BuildSettings((), shards=1, keep_missing=True)
    job = Job(store.build("b"), settings, store.build("a"), RunOptions(1))
    with pytest.raises(BuildError, match="captures"):
        clean(job)
    assert not job.build.root.exists()
