"""Whether a job may run by itself on an unfinished build: the jobs before it ran to their end, and
the build would not replace a later one.
"""

from __future__ import annotations

from collections.abc import Iterator

from factmill.pipelines.job import Job
from factmill.pipelines.run_stage import PUBLISH
from factmill.schemas.errors import BuildError, OptionError
from factmill.schemas.layout import INDEX
from factmill.schemas.stage_notes import read_stages
from factmill.schemas.tables import (
    COMPOSED_TABLE,
    PROPOSITIONS_TABLE,
    QA_PAIRS_TABLE,
    SEGMENTS_TABLE,
    VECTORS,
)
from factmill.transforms.index.link_pages import PAGES_LINKED
from factmill.transforms.learn.learn_link_scorer import LEARN_LINKS
from factmill.transforms.tasks.task_results import TaskResults

# For each job, a table that it needs, and the job that writes it.
_NEEDED_TABLES = {
    "extract": (SEGMENTS_TABLE, "clean"),
    "compose": (QA_PAIRS_TABLE, "extract"),
    "learn": (PROPOSITIONS_TABLE, "extract"),
    "encode": (PROPOSITIONS_TABLE, "extract"),
    "index": (VECTORS, "encode"),
    PUBLISH: (COMPOSED_TABLE, "compose"),
}


def check_job_order(job: Job, name: str) -> None:
    """Raises BuildError that names the job to run first, and OptionError for a build that is older
    than the published one, or that keeps pages of another.
    """
    root, published = job.build.root, job.parent.build_id if job.parent else None
    if published and published > job.build.build_id:
        raise OptionError(
            f"--build {root}: the later build {published} is published; run factmill build"
        )
    follows = read_stages(job.build)[1]
    if job.settings.keep_missing and follows != published:
        raise OptionError(
            f"--build {root}: it keeps pages of {follows}, which is not the published build;"
            " run factmill build"
        )
    for missing, writer in _missing(job, name):
        raise BuildError(f"{root}: {missing}; run the job {writer} first")


def _missing(job: Job, name: str) -> Iterator[tuple[str, str]]:
    """What a job lacks, and which job writes it, in their order."""
    build, shards = job.build, job.settings.shards
    table, writer = _NEEDED_TABLES.get(name, ("", ""))
    if table and not all(build.part(table, shard).is_file() for shard in range(shards)):
        yield f"{table} is not complete", writer
    if name == "encode" and not build.hash_head.is_file():
        yield "there is no hash head", "learn"
    linked = TaskResults.of(build, PAGES_LINKED).finished() == shards
    if name in (LEARN_LINKS, PUBLISH) and not linked:
        yield f"{INDEX} is not complete", "index"
    scored = not job.needs_link_scorer or TaskResults.of(build, LEARN_LINKS).is_finished(0)
    if name == PUBLISH and not scored:
        yield "there is no link scorer", LEARN_LINKS
