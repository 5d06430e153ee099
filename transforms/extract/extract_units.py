"""Segments of a shard to propositions and QA pairs, by a reader.

A rule-based reader reads here. The answers of an LLM are already in the reading log; here they are
validated and become units, and the log's usage is summed up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import apache_beam as beam

from factmill.models.llm.completion import Usage
from factmill.models.llm.lenient_json import valid_unicode
from factmill.models.readers.llm.validation import validate
from factmill.models.readers.reading import NO_UNITS, PageContext, Reader, Reading, to_units
from factmill.models.text.sites import site_of
from factmill.schemas.errors import Rejected
from factmill.schemas.layout import BuildDir
from factmill.schemas.manifest import StageCounts
from factmill.schemas.records import Reject, Segment
from factmill.transforms.extract.page_questions import SEVERAL_ANSWERS, contradicted
from factmill.transforms.extract.page_segments import PageSegments, page_segments
from factmill.transforms.extract.reading_log import ReadingLog, read_log
from factmill.transforms.extract.reused_readings import (
    ReadingRows,
    ReusableReadings,
    reusable_readings,
)
from factmill.transforms.tasks.run_tasks import RunTasks, Work
from factmill.transforms.tasks.shard_files import shard_writers
from factmill.transforms.tasks.task_results import TaskResults

EXTRACT_STAGE = "extract"
# Counts of statements and questions, not of segments: the items of a reading that may be stored.
VALIDATE = "validate"
# Not records but the costs of the LLM's calls, summed like records.
LEDGER = "ledger"
UNIT_TABLES = ["20_propositions", "21_qa_pairs", "29_rejects"]
_DETAIL_CHARACTERS = 500


@dataclass(frozen=True)
class ExtractShard:
    """Read every segment of a shard; each becomes units or a reject. Segments that the parent build
    read with the same reader are not read again.
    """

    build: BuildDir
    reader: Reader
    parent: BuildDir | None = None

    def __call__(self, shard: int) -> StageCounts:
        reusable = reusable_readings(self.build, self.parent, shard)
        return _write_units(self.build, shard, self.reader, self.parent, reusable)


@dataclass(frozen=True)
class ExtractAnswered:
    """Make units from the logged answers of the LLM with this fingerprint, for a shard."""

    build: BuildDir
    fingerprint: str
    parent: BuildDir | None = None

    def __call__(self, shard: int) -> StageCounts:
        log = read_log(self.build.store.readings(self.fingerprint, shard))
        reader = _LogReader(self.fingerprint, log)
        counts = _write_units(self.build, shard, reader, self.parent)
        ledger = _ledger(log, self.build.build_id, reader.read_segments)
        TaskResults.of(self.build, LEDGER).finish(shard, StageCounts(produced=ledger))
        return counts


class _LogReader:
    """A reader that takes answers from the log of a shard."""

    def __init__(self, fingerprint: str, log: ReadingLog) -> None:
        self.fingerprint = fingerprint
        self.read_segments: set[str] = set()
        self._log = log

    def read(self, segment: Segment, page: PageContext) -> Reading:
        said = self._log.latest.get(segment.segment_id)
        if said is None:
            raise Rejected("not_read", "the LLM was not asked about it")
        self.read_segments.add(segment.segment_id)
        if isinstance(said.outcome, Rejected):
            raise said.outcome
        return validate(segment, page.title, said.outcome)


def _ledger(log: ReadingLog, build_id: str, segments: Iterable[str]) -> dict[str, int]:
    """The cost of this build's own calls, and of the reused calls of earlier builds."""
    own = log.spent.get(build_id, Usage())
    said = [log.latest[segment] for segment in segments]
    reused = [one for one in said if one.build_id != build_id]
    return {
        "calls": own.calls,
        "prompt_tokens": own.prompt_tokens,
        "completion_tokens": own.completion_tokens,
        "tokens_new": own.tokens,
        "tokens_reused": round(sum(one.tokens for one in reused)),
        "segments_new": len(said) - len(reused),
        "segments_reused": len(reused),
    }


def _write_units(
    build: BuildDir,
    shard: int,
    reader: Reader,
    parent: BuildDir | None,
    reusable: ReusableReadings | None = None,
) -> StageCounts:
    segments, items, reused = 0, 0, 0
    rejected: Counter[str] = Counter()
    faults: Counter[str] = Counter()
    with shard_writers(build, shard, UNIT_TABLES, parent) as writers:
        propositions, pairs, rejects = writers
        for page in page_segments(build, shard):
            found = [reusable.find(one.segment_id) if reusable else None for one in page.segments]
            segments += len(found)
            reused += sum(rows is not None for rows in found)
            read = [
                rows or _read(reader, segment, page.context)
                for rows, segment in zip(found, page.segments, strict=True)
            ]
            for rows in _one_answer_each(read):
                propositions.add(rows.propositions)
                pairs.add(rows.pairs)
                rejects.add(_of_page(reject, page) for reject in rows.rejects)
                faulty = [row.reason for row in rows.rejects if row.stage == VALIDATE]
                faults.update(faulty)
                rejected.update(row.reason for row in rows.rejects if row.stage == EXTRACT_STAGE)
                items += len(rows.propositions) + len(rows.pairs) + len(faulty)
    produced = {
        "20_propositions": propositions.rows,
        "21_qa_pairs": pairs.rows,
        "29_rejects": rejects.rows,
        "reused": reused,
    }
    kept = propositions.rows + pairs.rows
    TaskResults.of(build, VALIDATE).finish(shard, StageCounts(items, kept, dict(faults)))
    return StageCounts(segments, segments - sum(rejected.values()), dict(rejected), produced)


def _read(reader: Reader, segment: Segment, page: PageContext) -> ReadingRows:
    rejects = []
    reading = Reading()
    try:
        reading = reader.read(segment, page)
        _need_units(reading)
    except Rejected as why:
        rejects.append(_reject(EXTRACT_STAGE, why.reason, segment, why.detail))
    units = to_units(segment, reading, reader.fingerprint)
    faulty = (*reading.faults, *units.repeats)
    rejects += [_reject(VALIDATE, fault.reason, segment, fault.text) for fault in faulty]
    return ReadingRows(list(units.propositions), list(units.pairs), rejects)


def _one_answer_each(read: list[ReadingRows]) -> Iterator[ReadingRows]:
    """The rows of a page without pairs whose question has another answer elsewhere on it."""
    left_out = contradicted([pair for rows in read for pair in rows.pairs])
    for rows in read:
        rejects = [
            Reject(
                VALIDATE, SEVERAL_ANSWERS, pair.segment_id, "",
                f"{pair.question} {pair.answer}"[:_DETAIL_CHARACTERS],
            )
            for pair in rows.pairs
            if pair.unit_id in left_out
        ]  # fmt: skip
        pairs = [pair for pair in rows.pairs if pair.unit_id not in left_out]
        yield ReadingRows(rows.propositions, pairs, rows.rejects + rejects)


def _need_units(reading: Reading) -> None:
    """Raises Rejected when nothing in a reading can be stored."""
    if reading.statements or reading.questions:
        return
    if reading.faults:
        raise Rejected("nothing_valid", f"{len(reading.faults)} items, all invalid")
    raise Rejected(NO_UNITS, "the reader found no statement in it")


def _of_page(reject: Reject, page: PageSegments) -> Reject:
    """The reject of a segment, with its page's URL and id."""
    return replace(reject, url=page.url, site=site_of(page.url), page_id=page.page_id)


def _reject(stage: str, reason: str, segment: Segment, detail: str) -> Reject:
    shown = valid_unicode(detail[:_DETAIL_CHARACTERS])  # logs of older runs have lone surrogates
    return Reject(stage, reason, segment.segment_id, "", shown)


@dataclass(eq=False)
class ExtractUnits(beam.PTransform):  # type: ignore[misc]
    """(shard, shard) -> shard, once its propositions and QA pairs are written."""

    build: BuildDir
    work: Work

    def expand(self, shards: beam.PCollection) -> beam.PCollection:
        return shards | "Write units" >> RunTasks(self.build, EXTRACT_STAGE, self.work)
