"""Which pairs of a page are left out because their question has other answers."""

from pathlib import Path

import pytest

from factmill.models.readers.reading import AtomicQuestion, PageContext, Reading, Statement
from factmill.schemas.layout import BuildDir
from factmill.schemas.records import QAPair, Segment
from factmill.transforms.extract.extract_units import VALIDATE, ExtractShard
from factmill.transforms.extract.page_questions import contradicted
from factmill.transforms.tasks.task_results import TaskResults
from tests.runtime.tiny_build import write_tables


def pairs(*asked: tuple[str, str]) -> list[QAPair]:
    return [
        QAPair(str(number), "s", "p", number, question, answer, 0, 1, (), "reader")
        for number, (question, answer) in enumerate(asked)
    ]


@pytest.mark.parametrize(
    ("asked", "left_out"),
    [
        ([("Who built Oslo?", "Ann"), ("Who built Oslo?", "Bo")], {"0", "1"}),
        ([("Who built Oslo?", "Ann"), ("who built  oslo", "bo")], {"0", "1"}),
        ([("Who built Oslo?", "Ann"), ("Who built Oslo?", "ann.")], set()),
        ([("When?", "1867"), ("When?", "9 April 1867"), ("When?", "April 1867")], {"0", "2"}),
        ([("When?", "1867"), ("When?", "9 April 1868")], {"0", "1"}),
        ([("When?", "18"), ("When?", "1867")], {"0", "1"}),
        ([("Who?", "Ann"), ("When?", "1867")], set()),
    ],
)
def test_contradicted_pairs_have_other_answers_to_their_question(
    asked: list[tuple[str, str]], left_out: set[str]
) -> None:
    assert contradicted(pairs(*asked)) == left_out


class _SameQuestion:
    """Asks every segment the same, and takes its last word for the answer."""

    fingerprint = "reader-same"

    def read(self, segment: Segment, page: PageContext) -> Reading:  # noqa: ARG002
        size = len(segment.text)
        last = segment.text.rindex(" ") + 1
        return Reading(
            (Statement(segment.text, 0, size),), (AtomicQuestion("What ends it?", last, size, 0),)
        )


def test_extract_shard_contradicting_pairs_become_rejects(
    tmp_path: Path,
) -> None:
    build = BuildDir(tmp_path / "b")
    write_tables(build)
    ExtractShard(build, _SameQuestion())(0)
    told = TaskResults.of(build, VALIDATE).by_task()[0]
    assert told.rejected["several_answers"] > 1
    assert told.balanced
