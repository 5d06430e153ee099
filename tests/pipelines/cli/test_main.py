"""The command line as people and programs use it."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from factmill.pipelines.cli.arguments import parser
from factmill.pipelines.cli.main import main
from factmill.runtime.index import Index
from factmill.runtime.search.hits import Hit
from factmill.schemas.layout import BuildDir, Store
from tests.conftest import ROOT, SAMPLES


def run_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    """Run a command in this process; standard output must be one JSON document and nothing else."""
    code = main([*arguments, "--json"])
    printed = capsys.readouterr()
    assert code == 0, printed.err
    assert printed.err == ""
    return json.loads(printed.out)


def test_search_json_has_one_hit_a_page_as_documented(
    sample_store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    query = "When was the lamp of Skerrow Point Lighthouse lit?"

    found = run_json(capsys, "search", str(sample_store), query, "-k", "5")

    assert found["query"] == query
    assert [hit["rank"] for hit in found["hits"]] == [1, 2, 3, 4, 5]
    assert len({hit["page_id"] for hit in found["hits"]}) == 5
    best = found["hits"][0]
    assert sorted(best) == [
        "end", "page_id", "path", "rank", "score", "segment_id", "source_id", "start", "text",
        "title", "units", "url",
    ]  # fmt: skip
    assert "Skerrow" in best["title"]
    assert sorted(best["units"][0]) == ["end", "kind", "score", "start", "text", "unit_id"]
    scores = [hit["score"] for hit in found["hits"]]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("command", ["search", "answer"])
def test_a_title_of_thousands_of_words_is_shown_in_part(
    command: str,
    sample_store: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def long(hit: Hit) -> Hit:
        return hit._replace(title="Skerrow Point " * 9999)

    search, search_pages = Index.search, Index.search_pages
    monkeypatch.setattr(Index, "search", lambda *asked, **how: [*map(long, search(*asked, **how))])
    monkeypatch.setattr(
        Index, "search_pages",
        lambda *asked, **how: [[*map(long, page)] for page in search_pages(*asked, **how)],
    )  # fmt: skip
    assert main([command, str(sample_store), "When was Skerrow Point Lighthouse first lit?"]) == 0

    lines = [line for line in capsys.readouterr().out.splitlines() if "Skerrow Point Sk" in line]
    assert lines
    assert all(len(line) < 300 for line in lines)


def test_search_without_words_ranks_by_codes_alone(
    sample_store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    query = "When was the lamp of Skerrow Point Lighthouse lit?"

    words, codes = (
        run_json(capsys, "search", str(sample_store), query, *options)["hits"][0]
        for options in ([], ["--no-lexical"])
    )

    assert words["page_id"] == codes["page_id"]
    assert words["score"] > codes["score"]


def test_answer_json_leads_to_the_page(
    sample_store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = run_json(
        capsys, "answer", str(sample_store), "How many inhabitants did Saltmere have in 1961?"
    )

    assert (found["text"], found["known"]) == ("11,305", True)
    assert found["strategy"] == "extractive"
    quotes = [citation["quote"] for citation in found["citations"]]
    assert any("11,305" in quote for quote in quotes)
    assert all(citation["title"] for citation in found["citations"])
    assert found["ledger"]["calls"] == 0


def test_answer_of_what_is_not_there_is_not_made_up(
    sample_store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = run_json(capsys, "answer", str(sample_store), "Who won the football cup of Peru?")

    assert (found["text"], found["known"]) == ("I don't know", False)
    assert found["citations"] == []


def test_evaluate_with_a_strategy_agrees_with_its_own_answers(
    sample_store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    questions, answers = tmp_path / "questions.jsonl", tmp_path / "answers.jsonl"
    asked = (SAMPLES / "questions.jsonl").read_text().splitlines(keepends=True)
    questions.write_text("".join(asked[::4]))

    figures = run_json(
        capsys, "evaluate", str(sample_store), "--questions", str(questions),
        "--strategy", "extractive", "--answers", str(answers),
    )  # fmt: skip

    said = [json.loads(line) for line in answers.read_text().splitlines()]
    assert [one["id"] for one in said] == [
        json.loads(line)["id"] for line in questions.read_text().splitlines()
    ]
    unknown = sum(not one["known"] for one in said) / len(said)
    assert figures["all"]["unknown"] == pytest.approx(unknown, abs=1e-4)
    assert figures["all"]["calls"] == 0
    assert set(figures) == {"all", "text", "table"}


def test_evaluate_agrees_with_its_own_run_file(
    sample_store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import ir_measures
    from ir_measures import RR, R

    questions, run = SAMPLES / "questions.jsonl", tmp_path / "run.trec"

    scores = run_json(
        capsys, "evaluate", str(sample_store), "--questions", str(questions), "--run", str(run),
        "--depths", "1,5",
    )  # fmt: skip

    qrels = [
        ir_measures.Qrel(raw["id"], gold, 1)
        for raw in map(json.loads, questions.read_text().splitlines())
        for gold in raw["gold_ids"]
    ]
    reference = ir_measures.calc_aggregate(
        [R @ 1, R @ 5, RR], qrels, ir_measures.read_trec_run(str(run))
    )
    assert scores["all"]["recall@1"] == pytest.approx(reference[R @ 1], abs=1e-3)
    assert scores["all"]["recall@5"] == pytest.approx(reference[R @ 5], abs=1e-3)
    assert scores["all"]["mrr"] == pytest.approx(reference[RR], abs=1e-3)
    assert scores["all"]["recall@5"] > 0.9
    assert set(scores) == {"all", "text", "table"}


def test_verify_of_a_published_build_is_whole(
    sample_store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_json(capsys, "verify", str(sample_store))["ok"] is True


def test_inspect_counts_segments_by_kind(
    sample_store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sql = "select kind, count(*) as n from segments group by 1 order by 1"

    found = run_json(capsys, "inspect", str(sample_store), "--sql", sql)

    assert found["columns"] == ["kind", "n"]
    counts = {row["kind"]: row["n"] for row in found["rows"]}
    assert counts.keys() == {"data", "table", "text"}
    assert min(counts["table"], counts["text"]) > 10


def test_inspect_reads_codes_and_embeddings(
    sample_store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sql = "select octet_length(code) as b, len(embedding) as d from vectors group by 1, 2"

    (row,) = run_json(capsys, "inspect", str(sample_store), "--sql", sql)["rows"]

    assert (row["b"], row["d"]) == (16, 384)


@pytest.mark.parametrize("command", ["search", "answer", "verify", "inspect"])
def test_command_on_an_empty_folder_names_the_trouble(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    extra = ["a question"] if command in {"search", "answer"} else []

    assert main([command, str(tmp_path), *extra]) == 2
    assert capsys.readouterr().err == f"factmill: {tmp_path}: nothing is published there\n"


def test_search_works_without_the_packages_of_the_pipeline(sample_store: Path) -> None:
    blocked = [
        "apache_beam",
        "spacy",
        "rensa",
        "py3langid",
        "trafilatura",
        "bs4",
        "blingfire",
        "lxml",
    ]
    program = (
        f"import sys; sys.modules.update(dict.fromkeys({blocked!r}));"
        "from factmill.pipelines.cli.main import main; sys.exit(main(sys.argv[1:]))"
    )

    finished = subprocess.run(
        [sys.executable, "-c", program, "search", str(sample_store), "Skerrow Point", "--json"],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert finished.returncode == 0, finished.stderr
    assert json.loads(finished.stdout)["hits"]


def test_build_without_its_packages_says_what_to_install(tmp_path: Path) -> None:
    program = (
        "import sys, importlib.util; real = importlib.util.find_spec;"
        "importlib.util.find_spec = lambda n, p=None: None if n == 'apache_beam' else real(n, p);"
        "from factmill.pipelines.cli.main import main; sys.exit(main(sys.argv[1:]))"
    )

    finished = subprocess.run(
        [sys.executable, "-c", program, "build", str(tmp_path / "S"), "--input", str(SAMPLES)],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert finished.returncode == 1
    assert finished.stderr.strip().endswith("pip install 'factmill[build]'")


def test_job_by_itself_refuses_a_folder_that_is_no_build(tmp_path: Path) -> None:
    finished = subprocess.run(
        [sys.executable, "-m", "factmill.pipelines.clean", "--build", str(tmp_path), "--json-logs"],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert finished.returncode == 2
    assert "not STORE/builds/ID" in json.loads(finished.stderr)["message"]


def test_every_command_and_option_is_documented() -> None:
    names = ("README.md", "docs/operations.md", "docs/answers.md", "docs/service.md")
    documents = "".join((ROOT / name).read_text() for name in names)
    commands = next(action.choices for action in parser()._actions if action.dest == "command")
    assert commands
    for name, command in dict(commands).items():  # type: ignore[call-overload]
        assert f"factmill {name}" in documents, name
        for action in command._actions:
            if action.help == argparse.SUPPRESS:
                continue
            for option in action.option_strings:
                if option not in {"-h", "--help"}:
                    assert f"{option}" in documents, f"{name} {option}"


def test_former_name_of_an_option_is_taken_and_not_shown() -> None:
    build = ["build", "S", "--input", "i"]
    assert parser().parse_args([*build, "--llm-patience", "9"]).llm_max_outage == 9
    assert parser().parse_args([*build, "--llm-max-outage", "7"]).llm_max_outage == 7
    commands = next(action.choices for action in parser()._actions if action.dest == "command")
    assert "--llm-patience" not in dict(commands)["build"].format_help()  # type: ignore[call-overload]


def test_published_build_is_not_the_parent_of_itself(sample_store: Path) -> None:
    from factmill.pipelines.job import parent_of

    published = Store(sample_store).published()

    assert parent_of(published) is None
    assert parent_of(BuildDir(published.root.parent / "other")) == published
