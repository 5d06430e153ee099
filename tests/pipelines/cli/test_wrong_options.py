"""Wrong options: one line that says why, exit code 2, and nothing is begun."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

from factmill.pipelines.cli.main import main
from factmill.pipelines.cli.unused_options import check_llm_options
from factmill.schemas.errors import OptionError
from tests.conftest import ROOT, SAMPLES

# The address of no LLM.
LLM = ["--llm-url", "http://127.0.0.1:9/v1", "--llm-model", "none"]


@pytest.mark.parametrize(
    "arguments", [["search", "S", "x"], ["evaluate", "S", "--questions", "questions.jsonl"]]
)
def test_rerank_without_stored_embeddings_is_a_wrong_option(
    sample_store: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    paths = {"S": str(sample_store), "questions.jsonl": str(SAMPLES / "questions.jsonl")}

    code = main([*(paths.get(argument, argument) for argument in arguments), "--rerank"])

    assert code == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "--store-embeddings" in said


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["answer", "S", "Who?", "--strategy", "hashrag"], "asks an LLM"),
        (["answer", "S", "Who?", "--llm-url", "http://127.0.0.1:9/v1"], "belong together"),
        (["evaluate", "S", "--questions", "Q", "--answers", "a.jsonl"], "needs --strategy"),
        (
            ["evaluate", "S", "--questions", "Q", "--strategy", "extractive", "--run", "r.trec"],
            "leave out --strategy",
        ),
        (["answer", "S", "Who?", *LLM, "--llm-tokenizer", "Q"], "not a tokenizer.json"),
    ],
)
def test_wrong_options_of_answering_are_one_line(
    sample_store: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], why: str
) -> None:
    paths = {"S": str(sample_store), "Q": str(SAMPLES / "questions.jsonl")}

    assert main([paths.get(argument, argument) for argument in arguments]) == 2

    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert why in said


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["build", "S"], "--input"),
        (["build", "S", "--input", "/nowhere/*.html"], "/nowhere/*.html: no such file"),
        (["build", "S", "--input", ".", "--no-such-option=1"], "--no-such-option"),
        (["build", "S", "--input", ".", "--code-bits", "100"], "multiple of 8"),
        (["build", "S", "--input", ".", "--shards", "0"], "positive"),
        (["build", "S", "--input", ".", "--reader", "oracle"], "heuristic"),
        (["build", "S", "--input", ".", "--languages", "English"], "'english' is not a language"),
        (["build", "S", "--input", ".", "--languages", "en,"], "'' is not a language code"),
        (
            ["build", "S", "--input", ".", "--kinds", "forum,blog"],
            "'blog' is not a kind of page: article",
        ),
        (["build", "S", "--input", ".", "--entities", "en_no_such"], "not a spaCy pipeline"),
        (["build", "S", "--input", ".", "--near-duplicates", "0.2"], "from 0.5 to 1"),
        (["build", "S", "--input", ".", "--near-duplicates", "nan"], "from 0.5 to 1"),
        (["build", "S", "--input", ".", "--page-seconds", "0"], "positive"),
        (["plan", "S", "--input", ".", "--rate", "0"], "not a number above 0"),
        (["build", "S", "--input", ".", "--page-megabytes", "much"], "positive"),
        (["build", "S", "--input", ".", "--page-seconds", "9" * 30], "more than 86400"),
        (["build", "S", "--input", ".", "--encoder", "/nowhere"], "/nowhere"),
        (["build", "ftp://host/store", "--input", "."], "neither a folder nor s3://"),
        (
            ["build", "S", "--input", ".", "--train-questions", "/nowhere.jsonl"],
            "--train-questions /nowhere.jsonl",
        ),
        (
            ["build", "S", "--input", ".", "--train-questions", "a.html"],
            "--train-questions a.html, line 1",
        ),
        (["search", "S"], "query"),
        (["search", "S", "x", "-k", "0"], "positive"),
        (["search", "S", "x", "--frobnicate"], "--frobnicate"),
        (["evaluate", "S", "--questions", "/nowhere.jsonl"], "/nowhere.jsonl"),
        (["frobnicate"], "frobnicate"),
    ],
)
def test_wrong_option_is_one_line_and_exit_code_2(
    arguments: list[str],
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "a.html").write_text("<p>A page of a few words for the sake of an input.</p>")
    monkeypatch.chdir(tmp_path)

    try:
        code = main(arguments)
    except SystemExit as exit:  # what argparse does about an option it refuses
        code = exit.code

    assert code == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert says in printed.err
    assert not (tmp_path / "S").exists()


@pytest.mark.parametrize(
    "arguments",
    [["build", "S"], ["build", "S", "--input", ".", "--encoder", "/nowhere"], ["search", "S"]],
)
def test_wrong_option_as_a_program_is_one_line_and_exit_code_2(
    arguments: list[str], tmp_path: Path
) -> None:
    """Nothing that is imported on the way says anything, and the status is what the shell gets."""
    (tmp_path / "a.html").write_text("<p>A page of a few words for the sake of an input.</p>")

    finished = subprocess.run(
        [sys.executable, "-m", "factmill", *arguments],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert finished.returncode == 2, finished.stderr
    assert finished.stdout == ""
    assert finished.stderr.count("\n") == 1


def test_shards_of_a_store_cannot_be_changed(
    sample_store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(
        ["build", str(sample_store), "--input", str(SAMPLES / "html"), "--shards", "7"]
    )  # fmt: skip

    assert code == 2
    assert "which cannot be changed" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "needed"),
    [
        ({"llm_in_flight": 2}, "--llm-in-flight needs --llm-url URL"),
        ({"llm_in_flight": 2, "judge_url": "http://judge.example/v1"}, None),
        ({"llm_tokenizer": Path("t")}, "--llm-tokenizer needs --llm-url URL"),
        ({"llm_tokenizer": Path("t"), "llm_folder": Path("llm")}, None),
        ({"question_tokens": 9, "llm_folder": Path("llm")}, None),
        ({"knowledge_api": ["store"], "llm_folder": Path("llm")}, "--knowledge-api needs"),
        ({"knowledge_api": ["store"], "llm_url": "http://llm.example/v1"}, None),
    ],
)
def test_options_of_an_llm_need_one_that_uses_them(
    given: dict[str, object], needed: str | None
) -> None:
    defaults: dict[str, object] = {
        "llm_url": "", "llm_in_flight": None, "llm_tokenizer": None, "question_tokens": None,
        "knowledge_api": [],
    }  # fmt: skip
    options = argparse.Namespace(**defaults | given)

    with pytest.raises(OptionError, match=needed) if needed else nullcontext():
        check_llm_options(options)


def test_a_store_behind_an_option_that_takes_all_says_where_it_goes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["build", "--input", "pages", "STORE"]) == 2

    said = capsys.readouterr().err
    assert said.endswith("STORE (it comes before --input, which takes all that follows)\n")
