from __future__ import annotations

from factmill.models.composing.compound_benchmark import (
    BenchmarkSize,
    benchmark_questions,
    question_line,
    split_of,
)
from factmill.models.composing.parsed_question import name_key
from factmill.schemas.records import ComposedKind, ComposedPart, ComposedQuestion


def composed(
    entity: str, number: int, kind: ComposedKind = "compound", pages: tuple[str, ...] = ("p", "p")
) -> ComposedQuestion:
    parts = tuple(
        ComposedPart(f"u{n}", page, f"What is {entity} {n}?", f"answer {n}", "")
        for n, page in enumerate(pages)
    )
    return ComposedQuestion(
        f"{entity}-{number}", pages[0], kind, entity, f"{entity}, {number}?", "answer 0; answer 1",
        parts,
    )  # fmt: skip


MANY = [composed(f"Skell Mill {n}", number) for n in range(200) for number in range(2)]


def entities(questions: list[ComposedQuestion]) -> set[str]:
    return {name_key(one.entity) for one in questions}


def test_splits_have_no_entity_in_common_and_all_questions() -> None:
    splits = benchmark_questions(MANY, BenchmarkSize())

    assert list(splits) == ["train", "dev", "test"]
    assert sum(map(len, splits.values())) == len(MANY)
    sizes = [len(entities(questions)) for questions in splits.values()]
    assert sum(sizes) == 200, "an entity in two splits would count twice"
    assert sizes[0] > 120
    assert min(sizes[1:]) > 5
    assert split_of("The Skell Mill") == split_of("skell mill")


def test_fewer_entities_are_a_part_of_more_and_every_other_question_changes_nothing() -> None:
    few = benchmark_questions(MANY, BenchmarkSize(entities=40))
    more = benchmark_questions([*MANY[::-1], composed("Tarn", 0)], BenchmarkSize(entities=90))

    for split, questions in few.items():
        assert entities(questions) <= entities(more[split]) | {"tarn"}
    assert sum(len(entities(questions)) for questions in few.values()) == 40


def test_chains_and_questions_of_too_many_pages_are_left_out() -> None:
    rows = [
        composed("Tarn", 0, "chain"), composed("Tarn", 1), composed("Tarn", 2, pages=("p", "q")),
    ]  # fmt: skip
    kept = benchmark_questions(rows, BenchmarkSize(pages=1))

    assert [one.composed_id for questions in kept.values() for one in questions] == ["Tarn-1"]


def test_a_line_has_what_evaluate_reads_and_what_decompose_says() -> None:
    line = question_line(composed("Tarn", 0, pages=("q", "p")))

    assert (line["answers"], line["gold_ids"]) == (["answer 0; answer 1"], ["p", "q"])
    assert (line["answer_parts"], line["dataset"]) == ([["answer 0"], ["answer 1"]], "compound-2")
    assert line["questions"][1] == {"id": "2", "question": "What is Tarn 1?", "needs": []}
