"""Questions with the pages that come with them, as in CRAG's file, read one by one."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from itertools import groupby

from factmill.pipelines.pages_in_memory import PagesInMemory, extracted_pages
from factmill.runtime.evaluate import Question
from factmill.schemas.errors import OptionError
from factmill.schemas.records import Reject
from factmill.schemas.storage.paths import StoragePath, local_copy
from factmill.transforms.inputs.json_records import read_jsonl
from factmill.transforms.inputs.raw_page import RawPage


def own_pages(
    path: StoragePath, questions: Sequence[Question]
) -> Generator[tuple[Question, PagesInMemory], None, None]:
    """Each question with an index of its pages; an empty index when none can be read. Pages without
    a date count as fetched when the question was asked. Raises OptionError for pages of no
    question.
    """
    waiting = iter(questions)
    for name, group in groupby(read_jsonl(local_copy(path), path.name), _question_id):
        for question in waiting:
            if question.id == name:
                pages, _ = extracted_pages(_dated(record, question) for record in group)
                yield question, PagesInMemory(pages)
                break
            yield question, PagesInMemory([])
        else:
            raise OptionError(
                f"--questions {path}: {name} is not a question with pages; give STORE"
            )
    for question in waiting:
        yield question, PagesInMemory([])


def _question_id(record: RawPage | Reject) -> str:
    """CRAG's pages are named by their question and a number."""
    name = record.source_id if isinstance(record, RawPage) else record.record_id
    return name.rpartition("/")[0]


def _dated(record: RawPage | Reject, question: Question) -> RawPage | Reject:
    if isinstance(record, Reject) or record.fetched_at is not None:
        return record
    return replace(record, fetched_at=question.asked_at)
