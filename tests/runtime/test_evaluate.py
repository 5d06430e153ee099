from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any

import pytest

from factmill.models.text.gold_ids import GoldMatch
from factmill.runtime.evaluate import (
    Question,
    by_dataset,
    evaluate,
    gold_in,
    normalised,
    question_scores,
    read_questions,
)
from factmill.runtime.index import Hit
from factmill.runtime.search.scoring import Scoring
from factmill.schemas.errors import OptionError
from tests.conftest import SAMPLES
from tests.runtime.tiny_build import SITES, tiny_build, tiny_index

DEPTHS = (1, 5, 20, 100)


def _hit(rank: int, source: str, text: str = "", page: str = "") -> Hit:
    return Hit(rank, 1 / rank, page or f"page-{source}", source, "", "", text, "s", 0, 1, ())


def _hits(*sources: str) -> list[Hit]:
    return [_hit(rank, source) for rank, source in enumerate(sources, 1)]


def _question(
    *gold: str, answers: tuple[str, ...] = (), name: str = "q", data: str = ""
) -> Question:
    return Question(name, "who?", answers, frozenset(gold), data)


class _PreparedIndex:
    """Returns prepared hits in the order of the questions asked; `relevance` turns them round."""

    def __init__(self, hits: dict[str, list[Hit]]) -> None:
        self._hits = hits

    def search_many(self, queries: list[str], k: int, scoring: Scoring) -> list[list[Hit]]:
        found = [self._hits[query][:k] for query in queries]
        if not scoring.relevance:
            return found
        return [
            [hit._replace(rank=rank) for rank, hit in enumerate(hits[::-1], 1)] for hits in found
        ]


def _random_run(seed: int) -> tuple[list[Question], dict[str, list[Hit]]]:
    chance = random.Random(seed)
    documents = [f"d{n}" for n in range(150)]
    questions, hits = [], {}
    for number in range(25):
        ranked = chance.sample(documents, chance.choice([0, 3, 30, 120]))
        gold = frozenset(chance.sample(documents, chance.choice([1, 2, 12, 40])))
        questions.append(Question(f"q{number}", f"text {number}", (), gold, ""))
        hits[f"text {number}"] = _hits(*ranked)
    return questions, hits


def _reference(questions: list[Question], hits: dict[str, list[Hit]]) -> dict[str, float]:
    """Recall, reciprocal rank and nDCG from their definitions."""
    totals = dict.fromkeys([*(f"recall@{depth}" for depth in DEPTHS), "mrr", "ndcg@10"], 0.0)
    for question in questions:
        relevant = [
            hit.source_id in question.gold_ids for hit in hits[question.text][: max(DEPTHS)]
        ]
        for depth in DEPTHS:
            totals[f"recall@{depth}"] += sum(relevant[:depth]) / len(question.gold_ids)
        if True in relevant:
            totals["mrr"] += 1 / (relevant.index(True) + 1)
        gain = sum(
            1 / math.log2(position + 2)
            for position in range(10)
            if relevant[position : position + 1] == [True]
        )
        best = sum(
            1 / math.log2(position + 2) for position in range(min(10, len(question.gold_ids)))
        )
        totals["ndcg@10"] += gain / best
    return {name: total / len(questions) for name, total in totals.items()}


@pytest.mark.parametrize("seed", range(4))
def test_evaluate_random_run_agrees_with_the_definitions(seed: int) -> None:
    questions, hits = _random_run(seed)
    found = evaluate(_PreparedIndex(hits), questions, DEPTHS)["all"]  # type: ignore[arg-type]
    expected = _reference(questions, hits)
    assert {name: found[name] for name in expected} == pytest.approx(expected, abs=1e-4)
    assert found["questions"] == 25


@pytest.mark.parametrize("seed", range(4))
def test_evaluate_random_run_and_its_file_agree_with_ir_measures(seed: int, tmp_path: Path) -> None:
    ir_measures = pytest.importorskip("ir_measures", reason="ir-measures is not installed")
    questions, hits = _random_run(seed)
    found = evaluate(_PreparedIndex(hits), questions, DEPTHS, tmp_path / "r.trec")["all"]  # type: ignore[arg-type]
    qrels = [
        ir_measures.Qrel(question.id, gold, 1)
        for question in questions
        for gold in question.gold_ids
    ]
    measures = [
        ir_measures.parse_measure(name) for name in ("RR", "nDCG@10", *(f"R@{d}" for d in DEPTHS))
    ]
    # Questions without any hit count as 0 there too, because all are in the qrels.
    run = list(ir_measures.read_trec_run(str(tmp_path / "r.trec")))
    expected = {str(k): v for k, v in ir_measures.calc_aggregate(measures, qrels, run).items()}
    names = {"RR": "mrr", "nDCG@10": "ndcg@10"} | {f"R@{d}": f"recall@{d}" for d in DEPTHS}
    assert {name: found[names[name]] for name in expected} == pytest.approx(expected, abs=1e-4)


def test_question_scores_gold_may_be_source_or_page_ids() -> None:
    scores = question_scores(_question("page-b", "c"), _hits("a", "b", "c"), (1, 2, 3))
    assert [scores[f"recall@{depth}"] for depth in (1, 2, 3)] == [0.0, 0.5, 1.0]
    assert scores["mrr"] == 0.5


def test_question_scores_complete_recall_needs_all_gold_pages() -> None:
    scores = question_scores(_question("a", "c"), _hits("a", "b", "c"), (1, 2, 3))
    assert [scores[f"complete_recall@{depth}"] for depth in (1, 2, 3)] == [0.0, 0.0, 1.0]
    assert question_scores(_question(), _hits("a"), (1,))["complete_recall@1"] == 0.0


def test_question_scores_pages_that_share_a_source_id_gain_once() -> None:
    hits = [_hit(1, "index.html", page="p1"), _hit(2, "index.html", page="p2")]
    scores = question_scores(_question("index.html"), hits, (1, 5))
    assert scores["ndcg@10"] == pytest.approx(1.0)
    assert scores["recall@5"] == 1.0


def test_question_scores_answer_recall_needs_whole_words_in_the_top_segments() -> None:
    hits = [
        _hit(1, "a", "The bridge has 1742 rivets too many."),
        _hit(2, "b", "It was opened by Jean-Luc O'Hara, the mayor."),
        _hit(3, "c", "Renée Sjöberg painted it in 1908."),
    ]

    def found(*answers: str) -> list[float]:
        scores = question_scores(_question("x", answers=answers), hits, (1, 2, 3))
        return [scores[f"answer_recall@{depth}"] for depth in (1, 2, 3)]

    assert found("174") == [0.0, 0.0, 0.0]
    assert found("1742 RIVETS") == [1.0, 1.0, 1.0]
    assert found("jean luc o hara") == [0.0, 1.0, 1.0]
    assert found("nobody", "Sjöberg") == [0.0, 0.0, 1.0]
    assert found("") == [0.0, 0.0, 0.0]
    assert found("?!") == [0.0, 0.0, 0.0]
    assert found() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("O'Hara, Jean-Luc!", " o hara jean luc "), ("", ""), ("?!", ""), ("ÉTÉ  1908", " été 1908 ")],
)
def test_normalised_text_is_words_between_blanks(text: str, expected: str) -> None:
    assert normalised(text) == expected


def test_questions_of_a_data_set_called_all_count_once() -> None:
    questions = [Question(name, "?", (), frozenset(), name) for name in ("all", "d", "")]

    assert by_dataset(questions, [1, 2, 3]) == {"all": [1, 2, 3], "d": [2]}


def test_evaluate_means_are_per_dataset_and_for_all() -> None:
    questions = [
        Question("1", "one", (), frozenset({"a"}), "text"),
        Question("2", "two", (), frozenset({"a"}), "table"),
        Question("3", "three", (), frozenset({"a"}), "text"),
        Question("4", "four", (), frozenset({"a"}), ""),
    ]
    index = _PreparedIndex(
        {"one": _hits("a"), "two": _hits("b", "a"), "three": [], "four": _hits("a")}
    )
    found = evaluate(index, questions, (1,))  # type: ignore[arg-type]
    assert {
        name: (group["recall@1"], group["mrr"], group["questions"]) for name, group in found.items()
    } == {
        "all": (0.5, 0.625, 4),
        "text": (0.5, 0.5, 2),
        "table": (0.0, 0.5, 1),
    }


def test_evaluate_more_questions_than_a_batch_keeps_each_with_its_hits() -> None:
    questions = [Question(str(n), f"t{n}", (), frozenset({str(n)}), "") for n in range(600)]
    index = _PreparedIndex({f"t{n}": _hits("x", str(n)) for n in range(600)})
    found = evaluate(index, questions, (1, 2))["all"]  # type: ignore[arg-type]
    assert (found["recall@1"], found["recall@2"], found["questions"]) == (0.0, 1.0, 600)


def test_evaluate_run_file_has_six_fields_and_no_blanks_in_ids(tmp_path: Path) -> None:
    questions = [Question("q 1\t", "one", (), frozenset({"my page.html"}), "")]
    index = _PreparedIndex({"one": _hits("my page.html", "b\u00a0c")})
    evaluate(index, questions, (1,), tmp_path / "out" / "r.trec")  # type: ignore[arg-type]
    lines = (tmp_path / "out" / "r.trec").read_text(encoding="utf-8").splitlines()
    assert lines == [
        "q_1_ Q0 my_page.html 1 1.000000 factmill",
        "q_1_ Q0 b_c 2 0.500000 factmill",
    ]


def test_evaluate_run_file_with_relevance_has_scores_in_the_order_of_its_ranks(
    tmp_path: Path,
) -> None:
    questions = [Question("q", "one", (), frozenset({"a"}), "")]
    index = _PreparedIndex({"one": _hits("a", "b", "c")})
    run, scoring = tmp_path / "r.trec", Scoring(relevance=True)
    evaluate(index, questions, (1,), run, scoring)  # type: ignore[arg-type]
    lines = (tmp_path / "r.trec").read_text(encoding="utf-8").splitlines()
    assert lines == [
        "q Q0 c 1 3.000000 factmill",
        "q Q0 b 2 2.000000 factmill",
        "q Q0 a 3 1.000000 factmill",
    ]


def test_evaluate_tiny_build_finds_the_page_of_each_fact(tmp_path: Path) -> None:
    index = tiny_index(tiny_build(tmp_path / "store"))
    questions = [
        Question(
            fact.answer, f"{site.title}. {fact.text}", (fact.answer,), frozenset({site.name}), ""
        )
        for site in SITES
        for fact in site.facts
    ]
    found = evaluate(index, questions, (1, 5))["all"]
    assert found["recall@5"] >= 0.9
    assert found["answer_recall@5"] >= 0.9


def _write(path: Path, *lines: Any) -> Path:
    raw = [
        line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines
    ]
    path.write_text("\n".join(raw), encoding="utf-8")
    return path


GOOD = {"id": 1, "question": "who?", "gold_ids": ["a", 2], "answers": ["x", 5], "dataset": "d"}


def test_read_questions_fields_become_strings_and_blank_lines_are_passed_over(
    tmp_path: Path,
) -> None:
    bare = {"id": "b", "question": "what?", "gold_ids": []}
    found = read_questions(_write(tmp_path / "q.jsonl", GOOD, "", "  ", bare))
    assert found == [
        Question("1", "who?", ("x", "5"), frozenset({"a", "2"}), "d"),
        Question("b", "what?", (), frozenset(), ""),
    ]


@pytest.mark.parametrize(
    "bad",
    [
        "{", "[]", "null", '"x"', "{}",
        {"question": "who?", "gold_ids": []},
        {"id": 1, "gold_ids": []},
        {"id": 1, "question": "who?"},
        {"id": 1, "question": "who?", "gold_ids": None},
        {"id": 1, "question": "who?", "gold_ids": 5},
        {"id": 1, "question": "who?", "gold_ids": "page-1"},
        {"id": 1, "question": "who?", "gold_ids": ["a"], "answers": "Paris"},
        {"id": 1, "question": "who?", "gold_ids": ["a"], "answers": 5},
        "[" * 100_000,
    ],
)  # fmt: skip
def test_read_questions_broken_line_is_an_option_error_with_its_number(
    tmp_path: Path, bad: Any
) -> None:
    with pytest.raises(OptionError, match="line 3"):
        read_questions(_write(tmp_path / "q.jsonl", GOOD, "", bad, GOOD))


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ("[]", "a JSON list, not an object"),
        ('{"id": 1', "not JSON: Expecting ',' delimiter, column "),
        ({"id": 1, "question": "who?"}, "no gold_ids"),
        ({"id": 1, "question": "who?", "gold_ids": "a"}, "'a' is not a list"),
    ],
)
def test_read_questions_broken_line_says_in_words_what_is_wrong(
    tmp_path: Path, bad: Any, why: str
) -> None:
    with pytest.raises(OptionError, match=rf"line 1: not a question \({why}"):
        read_questions(_write(tmp_path / "q.jsonl", bad))


@pytest.mark.parametrize("character", ["\u2028", "\u2029", "\x85"])
def test_read_questions_line_separators_inside_a_string_are_no_line_ends(
    tmp_path: Path, character: str
) -> None:
    question = GOOD | {"question": f"who{character}is it?"}
    (found,) = read_questions(_write(tmp_path / "q.jsonl", question))
    assert found.text == f"who{character}is it?"


@pytest.mark.parametrize("content", [b"", b"\n \n", b'{"id": "\xff"}'])
def test_read_questions_file_without_question_is_an_option_error(
    tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "q.jsonl").write_bytes(content)
    with pytest.raises(OptionError, match=r"q\.jsonl"):
        read_questions(tmp_path / "q.jsonl")


def test_read_questions_missing_file_or_folder_is_an_option_error(tmp_path: Path) -> None:
    for path in (tmp_path / "none.jsonl", tmp_path):
        with pytest.raises(OptionError, match="--questions"):
            read_questions(path)


def test_read_questions_samples_are_questions() -> None:
    path = SAMPLES / "questions.jsonl"
    assert len(read_questions(path)) == 55


def test_question_scores_gold_url_in_another_spelling_is_found() -> None:
    hit = _hit(1, "record-1")._replace(url="https://a.example/one?x=1")
    asked = _question("HTTPS://A.example:443/one?x=1&utm_source=mail#top")
    assert question_scores(asked, [hit], (1,))["recall@1"] == 1.0
    other = _question("https://a.example/one?x=2")
    assert question_scores(other, [hit], (1,))["recall@1"] == 0.0


def test_gold_in_counts_ids_that_name_pages_by_source_page_and_url(tmp_path: Path) -> None:
    index = tiny_index(tiny_build(tmp_path / "store"))
    page_id, _, _ = next(index.page_names())
    asked = [_question(SITES[0].name, page_id), _question("gone", "HTTP://Nowhere.example/")]
    assert gold_in([index], asked) == GoldMatch(4, 2)
    urls = [url.replace("http", "HTTP", 1) for _, _, url in index.page_names() if url]
    assert gold_in([index], [_question(*urls)]) == GoldMatch(len(urls), len(urls))
    assert not gold_in([index], [_question("a"), _question("b")]).measures
