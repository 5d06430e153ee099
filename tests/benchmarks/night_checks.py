"""Compares two builds: the bytes of their files, and the results of searches."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from factmill.runtime.evaluate import read_questions
from factmill.runtime.opening import open_build
from factmill.schemas.layout import CAPTURES, INDEX, BuildDir
from factmill.schemas.storage.checksum import sha256_of
from factmill.schemas.storage.paths import files_below, name_below
from factmill.schemas.tables import TABLES, VECTORS
from factmill.transforms.tasks.shard_files import column_map

_QUESTIONS_COMPARED = 200
_HITS_COMPARED = 20


def differences(a: BuildDir, b: BuildDir) -> Iterator[str]:
    """The files that differ between two builds."""
    for table in (*TABLES, CAPTURES, VECTORS, INDEX):
        names = {
            name_below(path, folder.root)
            for folder in (a, b)
            for path in files_below(folder.root / table)
        }
        for name in sorted(names):
            paths = [folder.root / name for folder in (a, b)]
            if not all(path.is_file() for path in paths) or len(set(map(sha256_of, paths))) > 1:
                yield name


def found(folder: BuildDir, questions: Path) -> list[list[tuple[str, float]]]:
    texts = [one.text for one in read_questions(questions, "--questions")][:_QUESTIONS_COMPARED]
    answers = open_build(folder).search_many(texts, _HITS_COMPARED)
    return [[(hit.segment_id, hit.score) for hit in hits] for hits in answers]


def new_segments(build: BuildDir, before: BuildDir, shards: int) -> int:
    """The number of segments of a build whose ids the previous one lacks."""
    count = 0
    for shard in range(shards):
        ours, theirs = (
            column_map(one.part("11_segments", shard), "segment_id", "page_id")
            for one in (build, before)
        )
        count += len(ours.keys() - theirs.keys())
    return count
