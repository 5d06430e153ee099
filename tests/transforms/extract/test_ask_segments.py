"""The LLM stage over real HTTP: faults, reuse, budget and a server that goes away."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from factmill.models.llm.completion import Usage
from factmill.schemas.errors import BudgetSpent, OptionError, Rejected, ServerDown
from factmill.schemas.layout import BuildDir
from factmill.transforms.extract import ask_segments
from factmill.transforms.extract.ask_progress import raise_stop
from factmill.transforms.extract.extract_units import LEDGER, VALIDATE
from factmill.transforms.extract.reading_log import LogWriter, ReadingRecord, read_log
from tests.conftest import ROOT
from tests.honest_llm import answer_request
from tests.llm_server import BAD_CONTENT, NO_ANSWER, Body, Faults, LlmServer, Reply
from tests.transforms.asked_build import (
    READER,
    SHARDS,
    ask,
    asking,
    build_of,
    rows,
    step_counts,
    units,
    write_units,
)

PAGES = 20
SEGMENTS = 5 * PAGES
BATCHES = 3 * PAGES


@pytest.fixture
def server() -> Iterator[LlmServer]:
    with LlmServer(answer_request, seconds=0.005) as running:
        yield running


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, object]]:
    """The units that a server without faults gives."""
    build = build_of(tmp_path_factory.mktemp("undisturbed"), PAGES)
    with LlmServer(answer_request) as running:
        ask(build, asking(running.url))
    counts = write_units(build)
    assert counts.records_out == SEGMENTS
    found = units(build)
    assert len(found) > 1.5 * SEGMENTS
    return found


def test_every_segment_is_read_once_within_the_bound_of_requests(
    tmp_path: Path, server: LlmServer, undisturbed: list[dict[str, object]]
) -> None:
    build = build_of(tmp_path, PAGES)

    progress = ask(build, asking(server.url))
    counts = write_units(build)

    assert (counts.records_in, counts.records_out, counts.rejected) == (SEGMENTS, SEGMENTS, {})
    assert units(build) == undisturbed
    assert server.requests == BATCHES
    assert 1 < server.most_in_flight <= 8
    assert (progress.done, progress.stopped) == (SEGMENTS, "")
    ledger = step_counts(build, LEDGER).produced
    assert ledger["calls"] == BATCHES
    assert ledger["tokens_new"] == server.billed
    assert (ledger["segments_new"], ledger["segments_reused"]) == (SEGMENTS, 0)
    items = step_counts(build, VALIDATE)
    assert (items.records_in, items.records_out) == (len(undisturbed), len(undisturbed))


def test_faults_that_pass_leave_no_trace(
    tmp_path: Path, server: LlmServer, undisturbed: list[dict[str, object]]
) -> None:
    build = build_of(tmp_path, PAGES)
    server.faults = Faults(share=0.3, kinds=NO_ANSWER, seed=1)

    ask(build, asking(server.url, seconds=1))
    counts = write_units(build)

    assert len(server.faulty) > len(NO_ANSWER) / 2
    assert counts.rejected == {}
    assert units(build) == undisturbed
    assert server.most_in_flight <= 8


def test_bad_content_that_a_repair_mends_leaves_no_trace(
    tmp_path: Path, server: LlmServer, undisturbed: list[dict[str, object]]
) -> None:
    """A third of the first answers is bad; the second time the LLM does what it was asked for."""
    build = build_of(tmp_path, PAGES)
    bad: set[str] = set()

    def first_time(body: Body, attempt: int) -> Reply | None:
        kind = Faults(share=0.34, kinds=BAD_CONTENT).kind(body["messages"][-1]["content"], attempt)
        if kind is None or len(body["messages"]) != 2 or attempt:
            return None
        bad.add(kind)
        return server.reply(body, kind)

    server.override = first_time
    ask(build, asking(server.url))
    counts = write_units(build)

    assert len(bad) > len(BAD_CONTENT) / 2
    assert counts.rejected == {}
    # The order of a mended answer may differ, and with it the ordinals.
    assert texts(units(build)) == texts(undisturbed)
    assert step_counts(build, LEDGER).produced["tokens_new"] == server.billed


@pytest.mark.parametrize("seed", range(3))
def test_any_faults_every_segment_ends_as_read_or_rejected(
    tmp_path: Path, server: LlmServer, undisturbed: list[dict[str, object]], seed: int
) -> None:
    build = build_of(tmp_path, PAGES)
    server.faults = Faults(share=0.3, seed=seed)

    ask(build, asking(server.url, seconds=1))
    counts = write_units(build)

    assert counts.balanced
    assert counts.records_in == SEGMENTS
    assert counts.records_out > 0.9 * SEGMENTS
    assert step_counts(build, VALIDATE).balanced
    assert texts(units(build)) <= texts(undisturbed)
    assert server.most_in_flight <= 8
    rejected = [row for row in rows(build, "29_rejects") if row["stage"] == "extract"]
    assert len(rejected) == sum(counts.rejected.values())
    assert len({row["record_id"] for row in rejected}) == len(rejected)


def texts(found: list[dict[str, object]]) -> set[tuple[object, object]]:
    return {(row["segment_id"], row.get("text") or row.get("question")) for row in found}


def test_what_was_read_is_not_asked_again_by_a_later_build(
    tmp_path: Path, server: LlmServer, undisturbed: list[dict[str, object]]
) -> None:
    first = build_of(tmp_path, PAGES)
    ask(first, asking(server.url))
    write_units(first)
    before = server.requests
    second = build_of(tmp_path, PAGES + 2, "20240102T000000000Z-b")

    ask(second, asking(server.url))
    counts = write_units(second)

    assert server.requests == before + 2 * 3
    assert counts.records_out == SEGMENTS + 2 * 5
    ledger = step_counts(second, LEDGER).produced
    assert (ledger["segments_new"], ledger["segments_reused"]) == (10, SEGMENTS)
    assert ledger["calls"] == 6
    assert ledger["tokens_reused"] == step_counts(first, LEDGER).produced["tokens_new"]
    assert texts(undisturbed) < texts(units(second))


def test_the_other_segments_of_a_shared_call_are_asked_about_alone(
    tmp_path: Path, server: LlmServer
) -> None:
    """What was read of a batch is left out of it, and the batch is not filled up with others."""
    build = build_of(tmp_path, PAGES)
    ask(build, asking(server.url))
    forgotten = [row["segment_id"] for row in rows(build, "11_segments") if row["ordinal"] == 1]
    for shard in range(SHARDS):
        writer = LogWriter(build.store.readings(READER, shard), build.build_id)
        writer.add(ReadingRecord(build.build_id, dict.fromkeys(forgotten)))
        writer.close()
    before = len(server.bodies)

    ask(build, asking(server.url))

    again = [body["messages"][1]["content"] for body in server.bodies[before:]]
    assert len(again) == PAGES
    assert all("s1 text" in prompt and "s2 text" not in prompt for prompt in again)
    assert write_units(build).records_out == SEGMENTS


def test_a_budget_stops_before_it_is_overdrawn_and_a_larger_one_goes_on(
    tmp_path: Path, server: LlmServer, undisturbed: list[dict[str, object]]
) -> None:
    build = build_of(tmp_path, PAGES)
    limit = 30_000

    progress = ask(build, asking(server.url, tokens=limit))

    assert progress.stopped == "BudgetSpent"
    with pytest.raises(BudgetSpent):
        raise_stop(build)
    assert limit / 2 < server.billed <= limit
    read = sum(len(read_log(build.store.readings(READER, shard)).latest) for shard in range(SHARDS))
    assert 0 < read < SEGMENTS
    asked = server.requests
    assert ask(build, asking(server.url, tokens=limit)).stopped == "BudgetSpent"
    said = rf"^{server.billed:,} of {limit:,} tokens are spent .*; give --max-tokens-total \d+ or"
    with pytest.raises(BudgetSpent, match=said):
        raise_stop(build)
    assert server.billed <= limit

    assert ask(build, asking(server.url, tokens=10 * limit)).stopped == ""

    assert server.requests <= BATCHES + (server.requests - asked)
    write_units(build)
    assert units(build) == undisturbed
    assert step_counts(build, LEDGER).produced["tokens_new"] == server.billed


def test_a_server_that_goes_away_stops_the_build_and_rejects_nothing(
    tmp_path: Path, server: LlmServer, undisturbed: list[dict[str, object]]
) -> None:
    build = build_of(tmp_path, PAGES)

    server.override = lambda *_: None if len(server.bodies) <= 25 else Reply(503)
    server.models = Reply(503)

    # Never ready at all, and then ready and gone.
    assert ask(build, asking(server.url, outage_seconds=0.5)).stopped == "ServerDown"
    assert server.requests == 0
    server.models = Reply(404)
    progress = ask(build, asking(server.url, outage_seconds=0.5))

    assert progress.stopped == "ServerDown"
    with pytest.raises(ServerDown):
        raise_stop(build)
    assert 20 < progress.done < SEGMENTS
    server.override = None
    assert ask(build, asking(server.url, outage_seconds=0.5)).stopped == ""
    assert write_units(build).rejected == {}
    assert units(build) == undisturbed


def test_a_wrong_key_ends_the_build_instead_of_rejecting_every_segment(
    tmp_path: Path, server: LlmServer
) -> None:
    build = build_of(tmp_path, PAGES)
    server.override = lambda *_: Reply(401, b'{"error": {"message": "no such key"}}')
    server.models = Reply(401)

    with pytest.raises(OptionError):
        ask(build, asking(server.url))

    assert server.requests <= 8


def test_an_interrupt_ends_asking_and_the_next_run_resumes(
    tmp_path: Path, server: LlmServer, undisturbed: list[dict[str, object]]
) -> None:
    """Ctrl-C reaches the loop where the local runner works in the process of the command."""
    build = build_of(tmp_path, PAGES)

    turns = itertools.count(1)

    def press(body: Body) -> str:
        if next(turns) == 20:
            signal.raise_signal(signal.SIGINT)
        return answer_request(body)

    server.answer = press
    # A shell that starts the tests in the background lets them ignore it.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            ask(build, asking(server.url))
    finally:
        signal.signal(signal.SIGINT, before)
    assert server.requests < BATCHES

    assert ask(build, asking(server.url)).stopped == ""

    write_units(build)
    assert units(build) == undisturbed


_VLLM = """#!{python}
import signal, sys
sys.path.insert(0, {root!r})
from tests.honest_llm import answer_request
from tests.llm_server import LlmServer
assert sys.argv[1:3] == ["serve", "tiny"]
server = LlmServer(answer_request)
server.port = int(sys.argv[sys.argv.index("--port") + 1])
server.start()
signal.pause()
"""


def test_a_worker_starts_its_own_vllm_and_ends_it(
    tmp_path: Path, undisturbed: list[dict[str, object]]
) -> None:
    executable = tmp_path / "vllm"
    executable.write_text(_VLLM.format(python=sys.executable, root=str(ROOT)))
    executable.chmod(0o755)
    build = build_of(tmp_path / "store", PAGES)

    progress = ask(build, replace(asking("http://127.0.0.1/v1"), vllm=str(executable)))

    assert progress.stopped == ""
    write_units(build)
    assert units(build) == undisturbed
    assert not subprocess.run(["pgrep", "-f", str(executable)], capture_output=True).stdout


def test_logs_of_many_shards_are_not_all_open_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ask_segments, "MAX_OPEN", 3)
    build = BuildDir(tmp_path / "builds" / "b")
    logs = ask_segments.ShardLogs(build, READER)
    open_before = len(os.listdir("/proc/self/fd"))

    for shard in [*range(9), 0, 8]:
        record = ReadingRecord(
            build.build_id, {f"segment-{shard}": Rejected("llm_failed")}, Usage()
        )
        logs.add(shard, record)
        assert len(os.listdir("/proc/self/fd")) <= open_before + 3

    logs.close()
    for shard in range(9):
        read = read_log(build.store.readings(READER, shard)).latest
        assert list(read) == [f"segment-{shard}"]
