"""The splits of a build's input, noted before the first of them is read.

Finished splits have only numbers, which depend on what can be read: a file that nobody may open is
a split of its own, and later perhaps one of many files read together. So a build goes on only with
the splits that it began with.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from factmill.pipelines.job import Job
from factmill.schemas.errors import BuildError
from factmill.schemas.manifest import StageCounts
from factmill.schemas.records import Reject
from factmill.transforms.clean.clean_pages import SPLITS
from factmill.transforms.inputs.discovery import Split
from factmill.transforms.inputs.raw_page import BROKEN
from factmill.transforms.inputs.read_split import read_split
from factmill.transforms.tasks.task_results import TaskResults, forget_results


def note_splits(job: Job) -> None:
    """Note the splits before the first is read. Raises BuildError when the build began with others.
    Results of a build that noted none are forgotten: their numbers stand for something else.
    """
    results = TaskResults.of(job.build, SPLITS)
    noted, ours = results.noted_tasks(), _fingerprint(job.splits)
    if noted is None:
        forget_results(job.build)
        results.note_tasks(ours)
    elif noted != ours:
        raise BuildError(
            f"{job.build.root}: other input files can be read now than when this build began;"
            " run factmill build, which begins another"
        )


def reads_as_before(job: Job) -> bool:
    """Whether an unfinished build, if it read any input, would read the same again: its splits are
    the same, and files that it could not read to their end are still broken.
    """
    results = TaskResults.of(job.build, SPLITS)
    noted = results.noted_tasks()
    if noted is None:
        return True
    if noted != _fingerprint(job.splits):
        return False
    counts = results.by_task()
    return all(
        _counts_of_reading(split) == (finished.records_in, finished.rejected[BROKEN])
        for split in job.splits
        if (finished := counts.get(split.ordinal, StageCounts())).rejected.get(BROKEN)
    )


def _counts_of_reading(split: Split) -> tuple[int, int]:
    """How many records a split has, and how many are rejects of broken files."""
    records = broken = 0
    for record in read_split(split):
        records += 1
        broken += isinstance(record, Reject) and record.reason == BROKEN
    return records, broken


def _fingerprint(splits: Sequence[Split]) -> str:
    digest = hashlib.sha256()
    for split in splits:
        digest.update(f"{split!r}\n".encode())
    return digest.hexdigest()
