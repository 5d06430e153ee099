from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmill.models.text.gold_ids import GoldMatch
from factmill.pipelines.store.publish_checks import QualityCheck
from factmill.pipelines.store.quality_check import QualityVerdict, judge, recalls
from factmill.runtime.evaluate import Question, read_questions
from factmill.runtime.opening import open_build
from factmill.schemas.layout import BuildDir, Store
from tests.runtime.tiny_build import SITES, tiny_build


def _verdict(before: list[float], after: list[float], allowed: float = 0.02) -> QualityVerdict:
    questions = [Question(f"q{n}", "?", (), frozenset(), "") for n in range(len(after))]
    return QualityVerdict(questions, before, after, allowed, "b", GoldMatch(1, 1))


@pytest.mark.parametrize(
    ("before", "after", "fell"),
    [
        ([1.0] * 100, [1.0] * 97 + [0.0] * 3, True),
        ([1.0] * 100, [1.0] * 98 + [0.0] * 2, False),
        ([1.0] * 10, [1.0] * 9 + [0.0], False),  # one question is no verdict
        ([1.0] * 10, [1.0] * 8 + [0.0] * 2, True),
        ([1.0], [0.0], True),  # unless there is no other
        ([0.0] * 3 + [1.0] * 3, [1.0] * 3 + [0.0] * 3, False),
        ([0.5] * 4, [1.0] * 4, False),
        ([], [0.0] * 5, False),
    ],
)
def test_verdict_falls_by_the_mean_and_by_more_than_one_question(
    before: list[float], after: list[float], fell: bool
) -> None:
    assert _verdict(before, after).fell is fell


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_verdict_of_the_same_recall_never_falls(recall: list[float]) -> None:
    assert not _verdict(recall, recall, 0.0).fell


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    path = tmp_path / "questions.jsonl"
    rows: list[dict[str, Any]] = [
        {"id": site.name, "question": site.facts[0].question, "gold_ids": [site.name]}
        for site in SITES
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


@pytest.mark.usefixtures("fake_encoder")
def test_judge_asks_both_builds_and_reports_what_got_worse(tmp_path: Path, questions: Path) -> None:
    store = Store(tmp_path / "store")
    fewer = tiny_build(store.root, SITES[:3], name="b1")
    tiny_build(store.root, SITES, name="b0")
    verdict = judge(QualityCheck(questions), open_build(fewer), store)
    assert list(verdict.before) == [1.0] * 6
    assert list(verdict.after) == [1.0] * 3 + [0.0] * 3
    assert verdict.fell
    assert "fell from 1.000 to 0.500 on 6 questions" in verdict.line()
    report = json.loads(verdict.save(fewer).read_text())
    assert report["worse_ids"] == [site.name for site in SITES[3:]]
    assert (report["before"], report["after"], report["compared_with"]) == (1.0, 0.5, "b0")


@pytest.mark.usefixtures("fake_encoder")
def test_judge_without_a_published_build_that_can_be_asked_compares_nothing(
    tmp_path: Path, questions: Path
) -> None:
    store = Store(tmp_path / "store")
    build: BuildDir = tiny_build(store.root, SITES[:1], name="b0")
    new = open_build(build)
    for damage in (lambda: build.hash_head.write_bytes(b"x"), store.current.unlink):
        damage()
        verdict = judge(QualityCheck(questions), new, store)
        assert (list(verdict.before), verdict.compared_with) == ([], None)
        assert not verdict.fell
    assert recalls(new, read_questions(questions))[0] == 1.0


@pytest.mark.usefixtures("fake_encoder")
def test_judge_with_gold_ids_of_other_pages_measures_nothing(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    build = tiny_build(store.root, SITES[:2], name="b0")
    names = [SITES[0].name, "gone-1", "gone-2"]
    rows = [{"id": name, "question": "who?", "gold_ids": [name]} for name in names]
    path = tmp_path / "other.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    verdict = judge(QualityCheck(path), open_build(build), store)
    assert not verdict.fell
    assert not verdict.passed
    assert "measured nothing: only 1 of 3 gold ids name pages" in verdict.line()
    assert (verdict.as_json()["gold_ids"], verdict.as_json()["gold_ids_found"]) == (3, 1)


def test_verdict_counts_all_questions_that_got_worse_and_names_the_first() -> None:
    figures = _verdict([1.0] * 150, [0.0] * 150).as_json()

    assert figures["worse"] == 150
    assert figures["worse_ids"] == [f"q{n}" for n in range(100)]
