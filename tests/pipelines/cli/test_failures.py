"""What people and programs see when a command cannot do its work: one line, and a document."""

from __future__ import annotations

import errno
import io
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from factmill.pipelines.cli import answer_commands
from factmill.pipelines.cli import main as command
from factmill.pipelines.cli.exit_codes import OutputFormat, exit_code
from factmill.pipelines.cli.main import main
from factmill.pipelines.cli.standard_output import print_text
from factmill.schemas.errors import BuildError, FactmillError, Locked, NoIndex, NotPublished
from factmill.schemas.layout import INDEX
from factmill.schemas.storage.local_storage import LocalStorage
from tests.conftest import SAMPLES, Museum
from tests.damaged_files import flip_bit
from tests.runtime.tiny_build import tiny_build

QUESTIONS = str(SAMPLES / "questions.jsonl")
ANSWERED = ("--strategy", "extractive")
LLM = ("--llm-url", "http://127.0.0.1:9/v1", "--llm-model", "none")
R2AG = ["--strategy", "r2ag", "--llm-folder", "f"]


def _raise(error: BaseException) -> Any:
    raise error


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["search", "S", ""], "the query is empty"),
        (["answer", "S", " \n"], "the query is empty"),
        (["search", "S", "caf\udce9"], "the query is not valid Unicode: character 4"),
        (["search", "S", "x", "-k", "1000000000"], "more than 10000"),
        (["evaluate", "S", "--questions", QUESTIONS, "--depths", "5,1000000000"], "10000"),
        (["evaluate", "S", "--questions", QUESTIONS, "--run", "gone/r.trec"], "no folder gone"),
        (["evaluate", "S", "--questions", QUESTIONS, "--run", "."], "a folder, not a file"),
        (["evaluate", "S", "--questions", QUESTIONS, "--run", "pipe"], "not a regular file"),
        (["evaluate", "S", "--questions", QUESTIONS, "--llm-url", "u"], "--llm-url needs --str"),
        (["evaluate", "S", "--questions", QUESTIONS, "--llm-folder", "f"], "--llm-folder needs"),
        (["evaluate", "S", "--questions", QUESTIONS, "--judge-url", "u"], "--judge-url needs --s"),
        (["evaluate", "S", "--questions", QUESTIONS, *ANSWERED, "--rerank"], "--rerank is for"),
        (["evaluate", "S", "--questions", QUESTIONS, *ANSWERED, "--depths", "3"], "--depths is"),
        (["evaluate", "S", "--questions", QUESTIONS, *ANSWERED, "--no-lexical"], "--no-lexical is"),
        (["search", "", "x"], "the path is empty"),
        (["search", "st\udcff", "x"], "the path is not valid Unicode"),
        (["build", "st\udcff", "--input", "a.html"], "the path is not valid Unicode"),
        (["evaluate", "S", "--questions", ""], "the path is empty"),
        (["build", "S", "--input", "a.html", "--full", "--keep-missing"], "--full reuses no"),
        (["build", "S", "--input", "a.html", "--max-recall-drop", "0.1"], "needs --questions"),
        (["build", "S", "--input", "a.html", "--num_workers=abc"], "invalid int value: 'abc'"),
        (["build", "--input", "a.html", "S"], "STORE (it comes before --input, which takes all"),
        (["plan", "S", "--input", "a.html", "--odd"], "--odd: no such option of this command"),
        (["plan", "S", "--input", "a.html", "--price-in", "1"], "--price-in needs --reader llm"),
        (["build", "S", "--input", "empty"], "--input empty: no file in this folder"),
        (["build", "S", "--input", "a.html", "--encoder", "./gone"], "./gone: no such folder"),
        (["build", "S", "--input", "a.html", "--train-encoder"], "needs --train-questions"),
        (["answer", "S", "x", "--device", "cuda"], "--device NAME needs --llm-folder PATH"),
        (["answer", "S", "x", "--question-tokens", "9"], "--question-tokens needs --llm-url"),
        (["answer", "S", "x", *R2AG, "--llm-tokenizer", "gone"], "gone: not a tokenizer.json"),
        (["answer", "S", "x", "--knowledge-api", "store"], "--knowledge-api needs --llm-url"),
        (["answer", "S", "x", *LLM, "--knowledge-api", "store"], "api needs --strategy hybrid"),
        (["answer", "S", "x", *LLM, "--llm-folder", "f"], "--llm-folder needs --strategy r2ag"),
        (["evaluate", "S", "--questions", QUESTIONS, *ANSWERED, "--max-steps", "5"], "hanrag"),
        (["evaluate", "S", "--questions", QUESTIONS, "--llm-in-flight", "8"], "--llm-in-flight n"),
        (["evaluate", "S", "--questions", QUESTIONS, "--question-seconds", "9"], "needs --stra"),
        (["serve", "S", "--llm-in-flight", "8"], "--llm-in-flight needs --llm-url URL"),
        (["search", "S", "x"], "nothing is published there"),
        (["gc", "S", "--keep", "1"], "there is no store"),
        (["verify", "S"], "nothing is published there"),
        (["rollback", "S"], "nothing is published there"),
        (["retry", "S"], "nothing is published there"),
        (["inspect", "S"], "nothing is published there"),
        (["diff", "S"], "nothing is published there"),
        (["rollback", "S", "--to", ""], "--to: the build id is empty"),
        (["verify", "S", "--build", ""], "--build: the build id is empty"),
        (["inspect", "S", "--build", ""], "--build: the build id is empty"),
        (["diff", "S", "--from", ""], "--from: the build id is empty"),
        (["diff", "S", "--to", ""], "--to: the build id is empty"),
        (["nonsense"], "invalid choice"),
        (["search", "S", "two", "words"], "search: unrecognized arguments: words"),
        (["build", "S", "--input", "a.html", "--runner="], "Unexpected pipeline runner"),
    ],
)
def test_wrong_use_is_one_line_and_one_document(
    arguments: list[str],
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "empty").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "a.html").write_text("<p>A page of a few words for the sake of an input.</p>")
    monkeypatch.chdir(tmp_path)

    assert main([*arguments, "--json"]) == 2

    printed = capsys.readouterr()
    assert printed.err.startswith("factmill: ")
    assert printed.err.count("\n") == 1
    assert says in printed.err
    error = json.loads(printed.out)["error"]
    assert sorted(error) == ["exit_code", "message", "type"]
    assert f"factmill: {error['message']}\n" == printed.err
    assert error["exit_code"] == 2
    assert error["type"] in {"OptionError", "NoIndex"}
    assert not (tmp_path / "S").exists()


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (BuildError("e"), 1),
        (NoIndex("e"), 2),
        (NotPublished("e"), 3),
        (Locked("e"), 4),
    ],
)
def test_failure_as_a_document_names_its_type_and_exit_code(
    error: FactmillError, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code("factmill", lambda: _raise(error), OutputFormat(json=True)) == code

    printed = capsys.readouterr()
    expected = {"type": type(error).__name__, "message": "e", "exit_code": code}
    assert json.loads(printed.out) == {"error": expected}
    assert printed.err == "factmill: e\n"


class _FullDisk(io.StringIO):
    """Standard output that goes to a file on a full disk."""

    def write(self, _: str) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("json_too", [False, True])
def test_output_to_a_full_disk_is_one_line(
    json_too: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout", _FullDisk())

    code = exit_code("factmill", lambda: print_text("x") or 0, OutputFormat(json=json_too))

    assert code == 1
    assert capsys.readouterr().err == "factmill: standard output: No space left on device\n"


@pytest.mark.parametrize(
    ("options", "writes"),
    [(["--run"], "evaluate"), ([*ANSWERED, "--answers"], "write_answers")],
)
def test_output_file_on_a_full_disk_is_one_line(
    options: list[str],
    writes: str,
    built_museum: Museum,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    monkeypatch.setattr(answer_commands, writes, lambda *_: _raise(full))
    questions, file = tmp_path / "questions.jsonl", str(tmp_path / "file")
    gold = {"id": "1", "question": "Where?", "answers": ["a"], "gold_ids": ["visitor-faq.html"]}
    questions.write_text(json.dumps(gold))
    store = str(built_museum.store.root)

    assert main(["evaluate", store, "--questions", str(questions), *options, file]) == 1

    said = capsys.readouterr().err
    assert said == f"factmill: {options[-1]} {file}: No space left on device\n"


@pytest.mark.parametrize(
    ("full", "says"),
    [
        ([], "what is done is kept, and the same command goes on"),
        (["--full"], "run the same command again"),
    ],
)
def test_interrupted_build_goes_on_unless_it_is_full(
    full: list[str],
    says: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(command, "_run", lambda _: _raise(KeyboardInterrupt()))

    assert main(["build", "S", *full]) == 130

    assert capsys.readouterr().err == f"factmill: stopped; {says}\n"


@pytest.mark.parametrize("resumes", [True, False])
def test_interrupted_is_one_line_that_says_how_to_go_on(
    resumes: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    output = OutputFormat(json=True)

    assert exit_code("factmill", lambda: _raise(KeyboardInterrupt()), output, resumes) == 130

    printed = capsys.readouterr()
    assert printed.err.count("\n") == 1
    assert ("what is done is kept" in printed.err) is resumes
    assert "same command" in printed.err
    assert json.loads(printed.out)["error"]["type"] == "Interrupted"


def test_without_json_a_failure_leaves_standard_output_empty(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["search", str(tmp_path), "x"]) == 2
    assert capsys.readouterr().out == ""


def test_json_behind_two_dashes_is_no_option() -> None:
    assert OutputFormat.of(["search", "S", "--", "--json"]) == OutputFormat()
    assert OutputFormat.of(["search", "S", "--json"]) == OutputFormat(json=True)


def test_mcp_prints_no_document_into_its_protocol(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["mcp", str(tmp_path), "--json"]) == 2

    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == "factmill: mcp: unrecognized arguments: --json\n"


@pytest.mark.parametrize("character", ["\x1b", "\x07", "\x9b", "\u202e", "\udc80"])
@pytest.mark.parametrize("command", [["search", "{}", "x"], ["build", "S", "--input", "{}"]])
def test_what_a_terminal_obeys_is_never_printed(
    character: str, command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / f"a{character}[31mb")

    assert main([argument.format(path) for argument in command] + ["--json"]) == 2

    printed = capsys.readouterr()
    assert character not in printed.err + printed.out
    assert "a\ufffd[31mb" in printed.err
    assert "a\ufffd[31mb" in json.loads(printed.out)["error"]["message"]


def test_new_store_on_a_read_only_file_system_is_a_wrong_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def read_only(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    (tmp_path / "a.html").write_text("<p>A page of a few words for the sake of an input.</p>")
    monkeypatch.setattr(Path, "mkdir", read_only)

    assert main(["build", str(tmp_path / "S"), "--input", str(tmp_path / "a.html")]) == 2

    assert capsys.readouterr().err == f"factmill: {tmp_path / 'S'}: Read-only file system\n"


@pytest.mark.usefixtures("fake_encoder")
@pytest.mark.parametrize(
    ("command", "call"),
    [("build", "put_if_absent"), ("plan", "put_if_absent"), ("rollback", "write"), ("gc", "rm")],
)
def test_command_that_writes_to_a_read_only_store_is_one_line(
    command: str, call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    def read_only(*_: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr("factmill.pipelines.store.rollback._verify", lambda *_: None)
    store = tiny_build(tmp_path / "store").store
    current = store.published()
    for number in (1, 2):
        older = store.build(f"2020010{number}T000000000Z-00000000")
        shutil.copytree(Path(str(current.root)), Path(str(older.root)))
    monkeypatch.setattr(LocalStorage, "remove_file" if call == "rm" else call, read_only)
    (tmp_path / "a.html").write_text("<p>A page of a few words for the sake of an input.</p>")
    given = {"gc": ["--keep", "1"], "rollback": []}.get(
        command, ["--input", str(tmp_path / "a.html")]
    )
    assert main([command, str(store.root), *given]) == 2
    line = "Read-only file system; this command writes to the store"
    assert capsys.readouterr().err == f"factmill: {store.root}: {line}\n"
    assert store.published() == current


@pytest.mark.usefixtures("fake_encoder")
def test_search_of_a_damaged_store_is_one_line_and_exit_code_1_unless_sizes_are_enough(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build = tiny_build(tmp_path / "store")
    flip_bit(Path(str(build.shard(INDEX, 0))) / "codes.faiss", -1)
    search = ["search", str(build.store.root), "bridge"]
    assert main(search) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    (line,) = printed.err.splitlines()
    assert line.endswith("codes.faiss: not the bytes that were written")
    assert main([*search, "--check", "sizes"]) == 0
    assert capsys.readouterr().out
