"""Plan, build and retry with an LLM, from the command line, against a real server."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.dataset as ds
import pytest

from factmill.pipelines.cli.main import main
from factmill.pipelines.settings import BuildSettings
from factmill.runtime.verify.verify_build import verify_build
from factmill.schemas.layout import Store
from factmill.schemas.manifest import read_manifest
from factmill.schemas.stage_notes import read_stages, save_stages
from factmill.transforms.inputs.discovery import InputFile
from tests.conftest import SAMPLES, Museum
from tests.honest_llm import answer_request
from tests.llm_server import Body, LlmServer, Reply, error


@pytest.fixture
def server() -> Iterator[LlmServer]:
    with LlmServer(answer_request) as running:
        yield running


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    folder.mkdir()
    for name in ("index.html", "visitor-faq.html"):
        shutil.copy(SAMPLES / "html" / "museum" / name, folder)
    return folder


class Factmill:
    """The command line on one store."""

    def __init__(
        self, root: Path, pages: Path, encoder: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.store, self._pages, self._encoder, self._capsys = Store(root), pages, encoder, capsys

    def run(self, command: str, *options: str, code: int = 0) -> tuple[str, str]:
        """What a command printed."""
        arguments = [command, str(self.store.root), *options]
        if command in ("build", "plan"):
            arguments += ["--input", str(self._pages), "--reader", "llm", "--llm-model", "tiny"]
            arguments += ["--shards", "2", "--code-bits", "64", "--encoder", self._encoder]
        assert main(arguments) == code
        printed = self._capsys.readouterr()
        return printed.out, printed.err

    def json(self, command: str, *options: str) -> Any:
        out, err = self.run(command, *options, "--json")
        assert err == ""
        return json.loads(out)

    def rows(self, table: str) -> list[dict[str, Any]]:
        folder = self.store.published().root / table
        dataset = ds.dataset(folder, format="parquet", partitioning="hive")
        return list(dataset.to_table().to_pylist())

    def units(self) -> set[tuple[str, str]]:
        return {
            (row["unit_id"], row["reader"])
            for table in ("20_propositions", "21_qa_pairs")
            for row in self.rows(table)
        }


@pytest.fixture
def factmill(
    tmp_path: Path, pages: Path, small_encoder: str, capsys: pytest.CaptureFixture[str]
) -> Factmill:
    return Factmill(tmp_path / "store", pages, small_encoder, capsys)


def test_what_is_planned_is_what_is_built_and_paid_once(
    factmill: Factmill, pages: Path, server: LlmServer
) -> None:
    prices = "--price-in", "2", "--price-out", "8"
    planned = factmill.json("plan", *prices)

    assert server.requests == 0
    assert not factmill.store.current.exists()
    assert planned["segments"] == planned["segments_new"] > 10
    usage = planned["usage"]
    tokens = usage["prompt_tokens"], usage["completion_tokens"]
    assert planned["cost"] == round((tokens[0] * 2 + tokens[1] * 8) / 1e6, 4)
    assert planned["hours"] is None

    built = factmill.json("build", "--llm-url", server.url)

    assert len(factmill.store.builds()) == 1, "the build goes on where the plan ended"
    llm = built["llm"]
    assert llm["calls"] == usage["calls"] == server.requests
    assert (llm["segments_new"], llm["segments_reused"]) == (planned["segments"], 0)
    # Four characters a token is an estimate; the server of the tests counts four bytes.
    assert llm["prompt_tokens"] == pytest.approx(tokens[0], rel=0.15)
    assert built["counts"]["extract"]["in"] == planned["segments"]
    published = factmill.store.published()
    assert verify_build(published, read_manifest(published)) == []
    assert all(reader.startswith("llm-") for _, reader in factmill.units())
    assert json.loads(factmill.run("plan", "--json")[0])["current"]
    assert not factmill.json("build", "--llm-url", server.url)["new"]

    shutil.copy(SAMPLES / "html" / "town" / "bridges.html", pages / "bridges.html")
    more = factmill.json("plan", *prices, "--rate", "100")
    # With random vectors a page more may make retraining due, which the build says.
    again = json.loads(factmill.run("build", "--llm-url", server.url, "--json")[0])["llm"]

    assert more["segments_reused"] == again["segments_reused"] == planned["segments"]
    assert 0 < again["segments_new"] == more["segments_new"] < planned["segments"]
    assert server.requests == usage["calls"] + more["usage"]["calls"]
    assert more["hours"] == round(sum(more["usage"][k] for k in more["usage"] if k != "calls")
                                  / 100 / 3600, 2)  # fmt: skip
    assert again["tokens_reused"] == pytest.approx(llm["tokens_new"], abs=2)


def test_retry_asks_about_the_rejects_and_nothing_else(
    factmill: Factmill, server: LlmServer
) -> None:
    def picky(body: Body) -> str:
        if "cask" in body["messages"][1]["content"].split("title]]")[-1].lower():
            raise LookupError("not about that")
        return answer_request(body)

    server.answer = picky
    factmill.run("build", "--llm-url", server.url, "--llm-segments", "1")
    rejects = [row for row in factmill.rows("29_rejects") if row["stage"] == "extract"]
    refused = {row["record_id"] for row in rejects if row["reason"] == "llm_refused"}
    assert refused
    before = factmill.units()
    segments = {row["segment_id"]: row for row in factmill.rows("11_segments")}
    first, asked = factmill.store.published(), server.requests
    server.answer = answer_request

    # Without a change a build finds nothing new; a retry is asked for by name.
    assert not factmill.json("build", "--llm-url", server.url)["new"]
    # Questions that it once learned from need not be there any more.
    gone = InputFile("/gone/questions.jsonl", "/gone", 1, 1)
    replace(BuildSettings.load(first), train_questions=gone).save(first)
    # Segments of another version would be noted as those of this one.
    stages, follows = read_stages(first)
    save_stages(first, stages | {"segments": "0"}, follows)
    assert "run build first" in factmill.run("retry", "--llm-url", server.url, code=2)[1]
    save_stages(first, stages, follows)
    result = factmill.json("retry", "--llm-url", server.url, "--llm-segments", "1")

    assert result["asked"] == len(refused)
    assert server.requests == asked + len(refused)
    assert result["llm"]["segments_new"] == len(refused)
    second = factmill.store.published()
    assert second != first
    assert verify_build(second, read_manifest(second)) == []
    assert before < factmill.units()
    assert {row["segment_id"]: row for row in factmill.rows("11_segments")} == segments
    assert read_manifest(second).counts["clean"] == read_manifest(first).counts["clean"]
    found = {row["segment_id"] for row in factmill.rows("20_propositions")}
    assert found & refused
    assert not factmill.json("build", "--llm-url", server.url)["new"]
    assert factmill.json("retry", "--llm-url", server.url)["asked"] == 0
    assert server.requests == asked + len(refused)


def test_a_spent_budget_is_one_line_and_the_same_command_goes_on(
    factmill: Factmill, server: LlmServer
) -> None:
    out, err = factmill.run("build", "--llm-url", server.url, "--max-tokens-total", "9000", code=1)

    assert out == ""
    assert err.count("\n") == 1
    assert "tokens" in err
    assert 0 < server.billed <= 9000
    assert not factmill.store.current.exists()
    asked = server.requests

    built = factmill.json("build", "--llm-url", server.url)

    assert len(factmill.store.builds()) == 1
    assert built["llm"]["calls"] == server.requests > asked
    assert built["llm"]["tokens_new"] == server.billed


def test_a_server_that_is_not_there_is_one_line(factmill: Factmill, server: LlmServer) -> None:
    url = server.url
    server.stop()
    try:
        out, err = factmill.run("build", "--llm-url", url, "--llm-max-outage", "1", code=1)
        assert out == ""
        assert err.count("\n") == 1
        assert "LLM server" in err
    finally:
        server.start()
    assert not factmill.store.current.exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--llm-url", "http://h/v1", "--llm-vllm", "vllm"], "give one of them"),
        ([], "--llm-url"),
        (["--llm-vllm", "no/vllm"], "no executable"),
        (["--llm-url", "h:80"], "--llm-url"),
        (["--llm-url", "http://h/v1", "--max-tokens-total", "9", "--llm-workers", "2"], "workers"),
    ],
)
def test_options_that_do_not_fit_are_one_line_and_exit_code_2(
    factmill: Factmill, options: list[str], said: str
) -> None:
    out, err = factmill.run("build", *options, code=2)

    assert out == ""
    assert err.count("\n") == 1
    assert said in err
    assert not factmill.store.root.exists()


def test_retry_of_a_store_read_by_rule_says_so(
    built_museum: Museum, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["retry", str(built_museum.store.root), "--llm-url", "http://127.0.0.1:1/v1"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_segments_without_an_answer_are_asked_again_and_a_dead_one_publishes_nothing(
    factmill: Factmill, server: LlmServer
) -> None:
    asking = ("--llm-url", server.url, "--llm-segments", "1")

    def fail_about_tickets(body: Body, _: int) -> Reply | None:
        asked = body["messages"][-1]["content"].split("title]]")[-1].lower()
        return error(409, "busy") if "ticket" in asked else None

    server.override = fail_about_tickets
    first = factmill.json("build", *asking, "--llm-deadline", "1")
    failed = first["counts"]["extract"]["rejected"]["llm_deadline"]
    requests = server.requests

    again = factmill.json("build", *asking, "--llm-deadline", "1")

    assert server.requests > requests, "it asks again"
    assert (again["new"], again["build_id"]) == (False, first["build_id"])
    assert len(factmill.store.builds()) == 1, "and nothing came of it"
    assert factmill.json("plan")["segments_new"] == failed
    server.override = None
    requests = server.requests

    answered = factmill.json("build", *asking)

    assert answered["new"]
    assert server.requests == requests + failed
    assert answered["counts"]["extract"]["rejected"].keys() <= {"no_units"}
    assert answered["counts"]["clean"] == first["counts"]["clean"]
    assert not factmill.json("build", *asking)["new"]
    assert server.requests == requests + failed


def test_build_in_which_every_segment_failed_is_not_published(
    factmill: Factmill, server: LlmServer
) -> None:
    server.answer = lambda _: "I would rather not."

    out, err = factmill.run("build", "--llm-url", server.url, code=1)

    assert out == ""
    assert err.count("\n") == 1
    assert "read none of" in err
    assert "no_json" in err
    assert not factmill.store.current.exists()
    server.answer = answer_request
    assert factmill.json("build", "--llm-url", server.url)["new"]
