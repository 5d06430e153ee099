"""Serves recorded answers of two LLMs over HTTP to the whole stage: asking, validating, writing.

    python -m tests.benchmarks.replay_served DATA/compactrag

Each passage is a page with one segment. The server has no recorded repairs, so it answers a repair
with nothing: the refused items are those of the first answers.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from factmill.models.readers.llm.extracted_items import ExtractedItems
from factmill.schemas.ids import content_hash, page_id, segment_id, shard_of
from factmill.schemas.layout import BuildDir, Store
from factmill.schemas.records import Page, Segment
from factmill.transforms.extract.extract_units import LEDGER, VALIDATE
from factmill.transforms.tasks.shard_files import shard_writers
from tests.benchmarks.bench_replay import FILES, in_our_format
from tests.honest_llm import parts
from tests.llm_server import Body, LlmServer
from tests.recorded_answers import Recorded, recorded
from tests.transforms.asked_build import SHARDS, ask, asking, step_counts, write_units

NOTHING = '{"s": [], "r": []}'


def write_passages(build: BuildDir, rows: list[Recorded]) -> None:
    """Write pages of one segment each."""
    by_shard: dict[int, dict[str, tuple[Page, Segment]]] = {shard: {} for shard in range(SHARDS)}
    for row in rows:
        digest = content_hash(row.title, row.passage)
        key = page_id("", row.title, digest)
        page = Page(key, row.title, "", row.title, row.passage, "en", None, digest)
        name = segment_id(key, row.title, "", "text", row.passage, 0)
        segment = Segment(name, key, 0, "text", row.passage, "", 0, len(row.passage))
        by_shard[shard_of(row.title, SHARDS)][key] = page, segment
    for shard, pages in by_shard.items():
        with shard_writers(build, shard, ["10_pages", "11_segments"]) as (page_rows, segment_rows):
            page_rows.add(page for page, _ in pages.values())
            segment_rows.add(segment for _, segment in pages.values())


def replay(rows: list[Recorded], folder: Path) -> None:
    """Run the stage against a server with the recorded answers, and print the result."""
    said = {row.passage: row.items for row in rows}

    def answer(body: Body) -> str:
        if len(body["messages"]) > 2:
            return NOTHING
        shown = parts(body["messages"][1]["content"])
        return in_our_format(said.get(shown["s1 text"], ExtractedItems()))

    build = Store(folder).build("replay")
    write_passages(build, rows)
    with LlmServer(answer) as server:
        began = time.monotonic()
        how = asking(server.url, in_flight=32)
        retry = replace(how.endpoint.retry, request_seconds=120)
        ask(build, replace(how, endpoint=replace(how.endpoint, retry=retry)))
        counts = write_units(build)
        seconds = time.monotonic() - began
    items, ledger = step_counts(build, VALIDATE), step_counts(build, LEDGER).produced
    print(f"segments: {counts.as_json()}")
    print(f"items: {items.records_in} in, {items.records_out} kept, rejected {items.rejected}")
    print(
        f"{ledger['calls']} calls, of them {ledger['calls'] - counts.records_in} repairs;", end=" "
    )
    print(f"{seconds:.0f} s; most in flight {server.most_in_flight}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    data = parser.parse_args().folder
    for model, name in FILES.items():
        print(model)
        with tempfile.TemporaryDirectory() as folder:
            replay(list(recorded(data / name)), Path(folder))


if __name__ == "__main__":
    main()
