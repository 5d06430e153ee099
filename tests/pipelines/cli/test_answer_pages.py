"""`factmill answer --pages`, and `evaluate` of CRAG's file: without a store."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from factmill.pipelines.cli.main import main
from factmill.runtime.answers.answer import Answer, Ledger
from tests.llm_server import LlmServer, Reply, error

PAGE = {
    "id": "1", "title": "Quenby Lock", "url": "https://a.example/lock",
    "text": "Quenby Lock was opened in 1874. It raises boats by eleven metres.",
}  # fmt: skip
QUESTION = "When was Quenby Lock opened?"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, Any, str]:
    """Exit code, the document on standard output, and standard error."""
    code = main([*arguments, "--json"])
    out, error = capsys.readouterr()
    return code, json.loads(out), error


def test_a_question_is_answered_from_a_file_of_pages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pages = tmp_path / "pages.jsonl"
    pages.write_text(json.dumps(PAGE))

    for arguments in (["--pages", str(pages), QUESTION], [QUESTION, f"--pages={pages}"]):
        code, found, _ = run(capsys, "answer", *arguments)

    assert (code, found["text"], found["build_id"]) == (0, "1874", "")
    (citation,) = found["citations"]
    assert PAGE["text"][citation["start"] : citation["end"]] == citation["quote"]


HYBRID = ["--strategy", "hybrid", "--llm-url", "http://127.0.0.1:1/v1", "--llm-model", "none"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["answer", QUESTION], "required: question"),
        (["answer", "", QUESTION], "give STORE or --pages"),
        (["answer", "STORE", "--pages", "pages.jsonl", QUESTION], "--pages: without STORE"),
        (["answer", "--pages", "missing.jsonl", QUESTION], "missing.jsonl"),
        (["answer", "--pages", ".", QUESTION], "--pages .: a folder; give one file"),
        (["evaluate", "--questions", "pages.jsonl"], "required: STORE"),
        (["evaluate", "--own-pages", "--questions", "pages.jsonl"], "give STORE"),
        (["answer", "--pages", "pages.jsonl", "--knowledge-api", "missing", QUESTION, *HYBRID],
         "--knowledge-api missing"),
        (["answer", "--pages", "pages.jsonl", "--check", "sizes", QUESTION], "needs STORE"),
        (["answer", "--pages", "pages.jsonl", QUESTION, "--strategy", "r2ag", "--llm-folder", "."],
         "--strategy r2ag needs STORE"),
        (["evaluate", "--own-pages", "--questions", "pages.jsonl", "--strategy", "r2ag",
          "--llm-folder", "."], "--strategy r2ag needs STORE"),
        (["evaluate", "--own-pages", "--questions", "pages.jsonl", "--strategy", "extractive",
          "--judge-url", "http://127.0.0.1:1/v1"], "--judge-url URL and --judge-model"),
    ],
)  # fmt: skip
def test_what_does_not_go_together_is_one_line(
    arguments: list[str],
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pages.jsonl").write_text(json.dumps(PAGE))

    code, found, error = run(capsys, *arguments)

    assert code == 2
    assert said in found["error"]["message"]
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["answer", "--pages", "pages.jsonl", QUESTION],
        ["evaluate", "--own-pages", "--questions", "q.jsonl", "--strategy", "extractive"],
    ],
)
def test_pages_without_the_packages_that_read_them_say_what_to_install(
    arguments: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "blingfire", None)

    code, found, _ = run(capsys, *arguments)

    assert code == 1
    assert found["error"]["message"].endswith("pip install 'factmill[build]'")


def crag_file(folder: Path) -> Path:
    """Two questions, q1 and q2, with the same page."""
    line = {
        "interaction_id": "q1", "query": QUESTION, "query_time": "03/13/2024, 10:19:56 PT",
        "answer": "1874", "domain": "open",
        "search_results": [
            {"page_name": PAGE["title"], "page_url": PAGE["url"],
             "page_result": f"<article><p>{PAGE['text']}</p></article>"},
        ],
    }  # fmt: skip
    questions = folder / "crag.jsonl"
    other = line | {"interaction_id": "q2", "answer": "in the year before 1875"}
    questions.write_text(f"{json.dumps(line)}\n{json.dumps(other)}")
    return questions


def test_crags_file_is_evaluated_on_its_own_pages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    questions = crag_file(tmp_path)

    # The questions that were under way are not heard of again.
    code, refused, error = run(
        capsys, "evaluate", "--own-pages", "--questions", str(questions), "--strategy", "hybrid"
    )
    assert (code, error.count("\n")) == (2, 1)
    assert "asks an LLM" in refused["error"]["message"]

    with LlmServer(lambda _: '{"correct": true}') as judge:
        code, figures, _ = run(
            capsys, "evaluate", "--own-pages", "--questions", str(questions),
            "--strategy", "extractive", "--answers", str(tmp_path / "answers.jsonl"),
            "--judge-url", judge.url, "--judge-model", "judge",
        )  # fmt: skip

    assert code == 0
    assert figures["all"]["truthfulness"] == 0.0, "by rule one is right and one is wrong"
    assert (
        figures["all"] | {"judged": 1.0, "judge_rejected": 0.0, "judged_truthfulness": 1.0}
        == (figures["all"])
    )
    first, second = map(json.loads, (tmp_path / "answers.jsonl").read_text().splitlines())
    assert (first["id"], "judge" in first) == ("q1", False)
    assert second["judge"] == {"correct": True, "rejected": ""}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_answers_so_far_are_written_when_the_run_is_stopped(
    number: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers, asked = tmp_path / "answers.jsonl", []

    async def stopped(question: str, *_: Any, **__: Any) -> Answer:
        asked.append(question)
        if len(asked) > 1:
            signal.raise_signal(number)
            await asyncio.Event().wait()
        return Answer(question, "1874", 0.75, (), False, (), Ledger(), "extractive", "")

    monkeypatch.setattr("factmill.pipelines.cli.answer_commands.answer_async", stopped)
    # A shell that starts the tests in the background lets them ignore it.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        code = main(
            ["evaluate", "--own-pages", "--questions", str(crag_file(tmp_path)),
             "--strategy", "extractive", "--answers", str(answers)]
        )  # fmt: skip
    finally:
        signal.signal(signal.SIGINT, before)

    assert code == 130
    assert [json.loads(line)["id"] for line in answers.read_text().splitlines()] == ["q1"]


@pytest.mark.parametrize(
    ("asked", "accepted", "kept"),
    [
        (["--strategy", "hashrag", "--llm-in-flight", "1", "--llm"], 1, ["q1"]),
        (["--strategy", "hashrag", "--llm-in-flight", "1", "--llm"], 0, None),
        (["--strategy", "extractive", "--judge"], 0, ["q1", "q2"]),
    ],
    ids=["second question", "first question", "judge"],
)
def test_answers_so_far_are_written_when_the_key_is_refused(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    asked: list[str],
    accepted: int,
    kept: list[str] | None,
) -> None:
    answers = tmp_path / "answers.jsonl"

    def refuse(*_: Any) -> Reply | None:
        return error(401, "expired") if server.requests > accepted else None

    *options, of = asked
    with LlmServer(lambda _: '{"answer": "1874", "citations": [1]}', override=refuse) as server:
        code, failed, _ = run(
            capsys, "evaluate", "--own-pages", "--questions", str(crag_file(tmp_path)), *options,
            f"{of}-url", server.url, f"{of}-model", "tiny", "--answers", str(answers),
        )  # fmt: skip

    assert code == 2
    assert "expired" in failed["error"]["message"]
    assert answers.exists() == bool(kept)
    if kept:
        assert [json.loads(line)["id"] for line in answers.read_text().splitlines()] == kept
