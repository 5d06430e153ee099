"""Pages that come with a question: indexed in memory, and answered from."""

from __future__ import annotations

import bz2
import json
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from factmill.models.answering.words.answer_words import DONT_KNOW
from factmill.pipelines.own_pages import own_pages
from factmill.pipelines.pages_in_memory import MAX_PAGES, PagesInMemory, pages_in_memory
from factmill.runtime.answers.answer_question import answer
from factmill.runtime.evaluate import read_questions
from factmill.schemas.errors import OptionError, Rejected
from factmill.schemas.records import Reject
from factmill.transforms.inputs.raw_page import RawPage

LOCK = (
    "<html><title>Quenby Lock</title><body><article><h1>Quenby Lock</h1><p>Quenby Lock was opened"
    " in 1874 by the Saltmere Canal Company. It raises boats by eleven metres.</p><p>The keeper"
    " lives in a cottage that was built in 1880 by the upper basin.</p><table><tr><th>Year</th>"
    "<th>Boats</th></tr><tr><td>1901</td><td>12,500</td></tr><tr><td>1902</td><td>9,000</td></tr>"
    "</table></article></body></html>"
)
TOWER = "Ardith Tower stands on a hill near Holm. It was built in 1911 by Tarn Vossberg."
FETCHED = datetime(2024, 2, 1, tzinfo=timezone.utc)


def index() -> PagesInMemory:
    return pages_in_memory(
        [
            RawPage("1", "https://a.example/lock", html=LOCK, fetched_at=FETCHED),
            RawPage("2", "https://a.example/tower", "Ardith Tower", text=TOWER),
            Reject("clean", "bad_record", "3", "", "no page"),
        ],
        "pages.jsonl",
    )


def test_the_page_that_says_it_comes_first() -> None:
    first, *_ = index().search("When was Quenby Lock opened?")

    assert (first.title, first.rank) == ("Quenby Lock", 1)
    assert "opened in 1874" in first.text
    assert any("1874" in unit.text for unit in first.units)
    assert 0 < first.score <= 1


def test_segments_of_a_page_stay_together_and_tables_are_among_them() -> None:
    found = index().search_pages("How many boats did Quenby Lock raise in 1902?", 2, 3)

    assert [len({hit.page_id for hit in of_page}) for of_page in found] == [1] * len(found)
    assert any("| 1902 | 9,000 |" in hit.text and hit.start is None for hit in found[0])


def test_a_question_has_the_attributes_that_local_models_tell() -> None:
    class NoLlm:
        async def complete(self, *_: Any, **__: Any) -> Any:
            raise Rejected("llm_failed", "nobody asks it for attributes")

    found = answer("What did shares of Quenby close at today?", index(), NoLlm(), "hybrid")

    assert (found.text, found.notice) == (DONT_KNOW, "")
    assert found.steps[0].answer == "finance, fast-changing"
    assert found.ledger.calls == 0


def test_offsets_are_those_of_the_page() -> None:
    hit = index().search("tower on a hill")[0]

    assert hit.start is not None
    assert TOWER[hit.start : hit.end] == hit.text


def test_pages_say_when_they_were_fetched() -> None:
    pages = index()

    times = pages.fetched_at([*pages.search("Quenby Lock"), *pages.search("Ardith Tower")])

    assert times[0] == FETCHED
    assert times[-1] is None


def test_questions_are_answered_without_a_store() -> None:
    found = answer("When was Quenby Lock opened?", index())

    assert (found.text, found.build_id, found.strategy) == ("1874", "", "extractive")


@pytest.mark.parametrize(
    "records",
    [
        [],
        [Reject("clean", "bad_record", "1", "", "no page")],
        [RawPage(str(number), text=TOWER) for number in range(MAX_PAGES + 1)],
    ],
)
def test_no_page_and_too_many_are_wrong_options(records: list[Any]) -> None:
    with pytest.raises(OptionError, match=r"pages\.jsonl: "):
        pages_in_memory(records, "pages.jsonl")


def crag_line(name: str, query: str, pages: list[str], **more: Any) -> str:
    return json.dumps(
        {
            "interaction_id": name, "query": query, "query_time": "03/13/2024, 10:19:56 PT",
            "domain": "open", "answer": "1874", "alternative_answers": "[]",
            "search_results": [
                {"page_name": "Page", "page_url": f"https://{name}.example/{number}",
                 "page_result": page, "page_last_modified": ""}
                for number, page in enumerate(pages)
            ],
            **more,
        }
    )  # fmt: skip


def test_crag_questions_come_with_their_own_pages(tmp_path: Path) -> None:
    path = tmp_path / "crag.jsonl.bz2"
    lines = [
        crag_line("q1", "when was quenby lock opened?", [LOCK, ""]),
        crag_line("q2", "who built nothing?", []),
        crag_line("q3", "who built ardith tower?", [f"<p>{TOWER}</p>" * 3],
                  question_type="false_premise", alternative_answers='["no one"]'),
    ]  # fmt: skip
    path.write_bytes(bz2.compress("\n".join(lines).encode()))
    questions = read_questions(path, needs_gold=False)

    found = list(own_pages(path, questions))

    assert [question.id for question, _ in found] == ["q1", "q2", "q3"]
    assert [len(pages.search("lock tower opened built")) for _, pages in found] == [1, 0, 1]
    asked = questions[0].asked_at
    assert asked == datetime(2024, 3, 13, 18, 19, 56, tzinfo=timezone.utc)
    assert found[0][1].fetched_at(found[0][1].search("lock")) == [asked]
    assert questions[2].answers == ("1874", "no one", "invalid question")
    assert questions[0].dataset == "open"


def test_pages_of_another_question_file_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text('{"id": "1", "question": "Who?", "answers": []}\n')
    questions = read_questions(path, needs_gold=False)

    with pytest.raises(OptionError, match="give STORE"):
        list(own_pages(path, questions))
