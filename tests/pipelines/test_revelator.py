"""The Revelator's examples from a store and from files, and the training of its local models."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from factmill.models.answering.relevance.retrieved_document import RetrievedDocument
from factmill.models.answering.revelator.ability_examples import (
    AbilityExample,
    lines,
    relevance_example,
    route_example,
)
from factmill.models.answering.routing.route import Route
from factmill.models.arrays import Floats
from factmill.pipelines.revelator_examples import main as revelator_examples
from factmill.pipelines.revelator_examples import (
    qdmr_examples,
    question_examples,
    store_examples,
    strategyqa_examples,
)
from factmill.pipelines.train_attributes import main as train_attributes
from factmill.pipelines.train_revelator import main as train_revelator
from factmill.pipelines.train_revelator import relevance_card, router_card, sampled
from factmill.pipelines.write_compound_benchmark import main as write_compound_benchmark
from factmill.runtime.evaluate import Question
from factmill.runtime.index import Index
from factmill.runtime.opening import open_index
from tests.conftest import Museum


@pytest.fixture(scope="module")
def index(built_museum: Museum) -> Index:
    return open_index(built_museum.store.root)


class LengthEncoder:
    """Encodes a text as its length."""

    fingerprint = "encoder-fake"

    def encode(self, texts: Sequence[str]) -> Floats:
        angles = np.array([len(text) / 60 for text in texts])
        return np.stack([np.sin(angles), np.cos(angles)], axis=1).astype(np.float32)


def test_store_gives_examples_of_every_ability_but_relevance(sample_store: Path) -> None:
    steps = {example.step for example in store_examples(open_index(sample_store))}

    assert steps == {"route", "decompose", "refine", "ending"}


def test_question_with_its_gold_page_gives_a_route_and_judged_documents(index: Index) -> None:
    page, _, _ = min(index.page_names())
    title = index.page(page).title
    question = Question("q", f"What is {title}?", (), frozenset({page}), "made")

    route, relevance = question_examples(index, [question])

    assert route.reply == {"type": "single"}
    (relevant,) = relevance.reply["relevant"]
    assert relevance.documents[relevant - 1].title == title


def test_question_whose_gold_pages_are_elsewhere_is_not_judged(index: Index) -> None:
    one = Question("q", "Who?", (), frozenset({"elsewhere"}), "made")
    two = Question("r", "Who and who?", (), frozenset({"elsewhere", "nowhere"}), "made")

    assert [example.step for example in question_examples(index, [one, two])] == ["route"]


def test_break_is_read_by_operators_and_by_what_its_sources_are(tmp_path: Path) -> None:
    path = tmp_path / "break.csv"
    path.write_text(
        "question_id,question_text,decomposition,operators,split\n"
        "DROP_1,How old is A?,return age of A,['select'],dev\n"
        "DROP_2,Who is the head of its city?,return city ;return head of #1,"
        "\"['select', 'project']\",dev\n"
        "CWQ_3,Who rules the land of A?,return land of A ;return ruler of #1,"
        "\"['select', 'project']\",dev\n"
        "CWQ_4,Who rules A?,return ruler of A,['select'],dev\n",
        "utf-8",
    )

    found = [(one.question, one.reply["type"]) for one in qdmr_examples(path)]

    assert found == [("How old is A?", "single"), ("Who rules the land of A?", "complex")]


def test_strategyqa_is_taken_apart_and_not_routed(tmp_path: Path) -> None:
    path = tmp_path / "strategy.json"
    steps = ["How old is A?", "Is #1 over 100?"]
    rows = [{"question": "Is A old?", "term": "A", "decomposition": steps}]
    path.write_text(json.dumps(rows), "utf-8")

    (example,) = strategyqa_examples(path)

    assert example.reply["questions"][1] == {
        "id": "2", "question": "Is [1] over 100?", "needs": ["1"],
    }  # fmt: skip


def made_routes(names: Sequence[str]) -> list[AbilityExample]:
    return [
        route_example(text.format(name), route, "made", name)
        for name in names
        for text, route in (
            ("When was {} born?", Route.SINGLE),
            ("When was {} born, and where did she die?", Route.COMPOUND),
            ("Where was the father of {} born?", Route.COMPLEX),
            ("hello, {}!", Route.STRAIGHTFORWARD),
        )
    ]


def made_searches(names: Sequence[str]) -> list[AbilityExample]:
    return [
        relevance_example(
            f"When was {name} born?",
            [
                RetrievedDocument(name, f"{name} was born in 1901.", 0.7, 1, f"{name}.", 0.6),
                RetrievedDocument("Kelp", "Kelp grows.", 0.5, 2, "Kelp grows.", 0.3),
            ],
            [0],
            "made",
            name,
        )
        for name in names
    ]


NAMES = [f"A{chr(97 + number % 26)}{chr(97 + number // 26)}" for number in range(40)]


def test_router_card_counts_examples_and_measures_on_groups_held_out() -> None:
    card = router_card(made_routes(NAMES), [], False, LengthEncoder())

    figures = card["held out"]["shape alone"]["three ways"]
    assert card["examples"]["made complex"] == len(NAMES)
    assert figures["accuracy"] == 1.0
    assert 0 < figures["questions"] < 3 * len(NAMES) / 2
    assert card["weights"].encoder == "encoder-fake"


def test_other_examples_are_measured_without_groups_that_were_trained_on() -> None:
    also = [*NAMES[:5], "Zed"]

    router = router_card(made_routes(NAMES), made_routes(also), False, LengthEncoder())
    relevance = relevance_card(made_searches(NAMES), made_searches(also), "encoder-fake")

    assert router["other examples"]["all"]["vectors"]["four ways"]["questions"] == 4
    figures = relevance["other examples"]["as found"]
    assert figures["searches"] == 1
    assert figures["average precision"] == 1.0


def test_other_examples_that_were_all_trained_on_are_not_measured() -> None:
    also = NAMES[:5]

    router = router_card(made_routes(NAMES), made_routes(also), False, LengthEncoder())
    relevance = relevance_card(made_searches(NAMES), made_searches(also), "encoder-fake")

    assert "other examples" not in router.keys() | relevance.keys()


@pytest.mark.parametrize(
    ("main", "arguments", "message"),
    [
        (train_revelator, ["{}", "{}/out"], "route.jsonl"),
        (train_revelator, ["{}"], "the following arguments are required: out"),
        (revelator_examples, ["{}/none", "{}/out"], "nothing is published there"),
        (train_attributes, ["{}"], "the following arguments are required: out"),
        (write_compound_benchmark, ["{}/none", "{}/out"], "nothing is published there"),
    ],
)
def test_wrong_arguments_are_one_line(
    main: Callable[[Sequence[str]], int],
    arguments: list[str],
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main([one.format(tmp_path) for one in arguments]) == 2

    (line,) = capsys.readouterr().err.splitlines()
    assert message in line


ATTRIBUTES = {"question": "Who?", "domain": "open", "dynamism": "static", "template": "a"}
(ROUTE,), (SEARCH,) = made_routes(["Ann"])[:1], made_searches(["Ann"])
DOCUMENT = SEARCH.as_json()["documents"][0]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"question": "Who?"}, "object 2 is not an example (no domain)"),
        (
            ATTRIBUTES | {"domain": "war"},
            "object 2 is not an example ('war' is not a valid Domain)",
        ),
        (ATTRIBUTES | {"dynamism": ["static"]}, "object 2 is not an example (['static'] is not a"),
        (ATTRIBUTES | {"template": 1}, "object 2 is not an example (template is no text)"),
        ([], "object 2 is not an example"),
    ],
)
def test_train_attributes_wrong_question_is_one_line(
    row: object, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text(f"{json.dumps(ATTRIBUTES)}\n{json.dumps(row)}\n", "utf-8")

    assert train_attributes([str(path), str(tmp_path / "out")]) == 2

    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"train_attributes: questions {path}: {message}")


@pytest.mark.parametrize(
    ("name", "row", "message"),
    [
        ("route", {"question": "Who?"}, "object 2 is not an example (no reply)"),
        ("route", SEARCH.as_json(), "object 2 is not an example (no type)"),
        ("route", ROUTE.as_json() | {"reply": {"type": "x"}}, "object 2 is not an example ('x'"),
        ("route", ROUTE.as_json() | {"reply": "single"}, "object 2 is not an example (reply is no"),
        ("route", ROUTE.as_json() | {"question": 3}, "object 2 is not an example (question is no"),
        ("relevance", ROUTE.as_json(), "object 2 is not an example (no relevant)"),
        (
            "relevance", SEARCH.as_json() | {"reply": {"relevant": ["1"]}},
            "object 2 is not an example (relevant is no list of numbers)",
        ),
        (
            "relevance", SEARCH.as_json() | {"documents": []},
            "object 2 is not an example (no documents)",
        ),
        (
            "relevance", SEARCH.as_json() | {"documents": [{"title": "Ann"}]},
            "object 2 is not an example (no score)",
        ),
        (
            "relevance", SEARCH.as_json() | {"documents": [DOCUMENT | {"rank": "first"}]},
            "object 2 is not an example (rank is no number)",
        ),
        (
            "relevance", SEARCH.as_json() | {"documents": "none"},
            "object 2 is not an example (documents is no list of objects)",
        ),
        ("route", ROUTE.as_json(), "too few groups to hold some out"),
    ],
)  # fmt: skip
def test_train_revelator_wrong_example_is_one_line(
    name: str, row: object, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "route.jsonl").write_text(lines([ROUTE]), "utf-8")
    (tmp_path / "relevance.jsonl").write_text(lines([SEARCH]), "utf-8")
    with (tmp_path / f"{name}.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(row))

    assert train_revelator([str(tmp_path), str(tmp_path / "out")]) == 2

    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"train_revelator: examples {tmp_path / name}.jsonl: {message}")


@pytest.mark.parametrize(
    ("option", "content", "message"),
    [
        (
            "--samples",
            '{"question": "Who?", "group": "a"}',
            "object 1 is not an example (no route)",
        ),
        ("--strategyqa", '[{"question": "Is A old?", "term": "A"}]', "object 1 is not an example"),
        ("--strategyqa", '[{"decomposition": "Who?"}]', "object 1 is not an example"),
        ("--break", "question_id,decomposition\na,b\n", "row 1 has no question_text"),
    ],
)
def test_revelator_examples_wrong_file_is_one_line(
    option: str,
    content: str,
    message: str,
    sample_store: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "file"
    path.write_text(content, "utf-8")

    assert revelator_examples([str(sample_store), str(tmp_path / "out"), option, str(path)]) == 2

    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"revelator_examples: {option} {path}: {message}")


def test_question_that_finds_nothing_gives_only_a_route(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, _, _ = min(index.page_names())
    monkeypatch.setattr(Index, "search", lambda *_: [])

    (example,) = question_examples(index, [Question("q", "Who?", (), frozenset({page}), "made")])

    assert example.step == "route"


def test_sampling_takes_the_same_of_each_source_and_route_in_any_order() -> None:
    routes = made_routes(NAMES)

    chosen = sampled(routes, 3)

    assert len(chosen) == 3 * len(Route)
    assert sampled(reversed(routes), 3) == chosen
