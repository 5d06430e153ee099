"""Determines the stage of a night from the files that a killed build left."""

from __future__ import annotations

from pathlib import Path

from factmill.schemas.layout import Store
from factmill.transforms.clean.clean_pages import COMPARED, SHARDS, SPLITS
from factmill.transforms.compose.compose_questions import QUESTIONS_LINKED, QUESTIONS_READ
from factmill.transforms.tasks.task_results import TaskResults

BEGIN, VERIFY, MANIFEST, CURRENT, END = "begin", "verify", "manifest", "CURRENT", "end"
# One for each step of a job that leaves files of progress, and those around them: before there is a
# build, before its manifest, between manifest and CURRENT, while its work is removed, after it.
STAGES = (
    BEGIN, SPLITS, COMPARED, SHARDS, "extract", QUESTIONS_READ, QUESTIONS_LINKED, "compose",
    "learn", "encode", "index", VERIFY, MANIFEST, CURRENT, END,
)  # fmt: skip
_ONE_TASK = (COMPARED, QUESTIONS_LINKED, "learn")


def stage_of(root: Path, before: str | None, splits: int, shards: int) -> str:
    """The stage that the store's build is in, or reached. `before` is the build published when it
    began.
    """
    store = Store(root)
    begun = [build for build in store.builds() if build.build_id != before]
    try:
        current = store.current.read_text(encoding="ascii").strip()
    except OSError:
        current = None
    if not begun:
        return BEGIN
    build = begun[-1]
    if current == build.build_id:
        return CURRENT if build.work.is_dir() else END
    if build.manifest.is_file():
        return MANIFEST
    for step in STAGES[1:-4]:
        tasks = splits if step == SPLITS else 1 if step in _ONE_TASK else shards
        if TaskResults.of(build, step).finished() < tasks:
            return step if step != SPLITS or build.work.is_dir() else BEGIN
    return VERIFY
