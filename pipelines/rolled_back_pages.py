"""Stops a build, after cleaning, that would publish again what was rolled back.

Files that were only written again count as changed before cleaning, and give the same pages.
"""

from __future__ import annotations

from dataclasses import replace

from factmill.pipelines.job import Job
from factmill.pipelines.open_build import nothing_new
from factmill.pipelines.store.rolled_back_builds import check_pages_not_rolled_back
from factmill.schemas.errors import NotPublished
from factmill.schemas.layout import BuildDir
from factmill.schemas.storage.atomic import discard


def check_cleaned_pages(job: Job) -> None:
    """Raises NotPublished, and removes the build, when it would equal one that was rolled back. A
    build from scratch is never stopped.
    """

    def same(rolled_back: BuildDir) -> bool:
        return nothing_new(replace(job, parent=rolled_back))

    if job.parent is None:
        return
    try:
        check_pages_not_rolled_back(job.build.store, same)
    except NotPublished:
        discard(job.build.root)
        raise
