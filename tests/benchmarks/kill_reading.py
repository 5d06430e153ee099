"""Kills a build with an LLM again and again: what it costs, and whether the result is the same.

    python -m tests.benchmarks.kill_reading [--segments 500] [--kills 20] [--seed 0]

The command `factmill build` is killed with its children at random moments while it asks, and
started again. Finally its tables are compared with those of an undisturbed build, and the number of
additional requests with the kills times the requests in flight.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pyarrow.dataset as ds

from factmill.schemas.layout import Store
from tests.honest_llm import answer_request
from tests.llm_server import LlmServer
from tests.transforms.asked_build import site

IN_FLIGHT = 8
_SEGMENTS_A_PAGE = 2
_TABLES = ("11_segments", "20_propositions", "21_qa_pairs", "22_composed_questions", "29_rejects")


def write_pages(path: Path, segments: int) -> None:
    """Write pages of five sentences, which become two segments each."""
    with open(path, "w", encoding="utf-8") as out:
        for number in range(segments // _SEGMENTS_A_PAGE):
            page = site(number)
            text = "\n\n".join(fact.text for fact in page.facts)
            url = f"https://{page.name}.example/"
            record = {"id": page.name, "url": url, "title": page.title, "text": text}
            out.write(json.dumps(record) + "\n")


def start(store: Path, pages: Path, url: str) -> subprocess.Popen[bytes]:
    arguments = [
        sys.executable, "-m", "factmill", "build", str(store), "--input", str(pages),
        "--reader", "llm", "--llm-model", "tiny", "--llm-url", url, "--shards", "4",
        "--llm-in-flight", str(IN_FLIGHT), "--llm-segments", "1", "--near-duplicates", "off",
    ]  # fmt: skip
    return subprocess.Popen(arguments, start_new_session=True, stdout=subprocess.DEVNULL)


def tables(store: Path) -> dict[str, list[dict[str, Any]]]:
    build = Store(store).published()
    return {
        table: sorted(
            ds.dataset(build.root / table, format="parquet", partitioning="hive")
            .to_table()
            .to_pylist(),
            key=str,
        )
        for table in _TABLES
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--segments", type=int, default=500)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    moments = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder, LlmServer(answer_request, seconds=0.05) as server:
        pages = Path(folder) / "pages.jsonl"
        write_pages(pages, options.segments)
        undisturbed = start(Path(folder) / "undisturbed", pages, server.url)
        assert undisturbed.wait() == 0
        needed = server.requests
        kills = 0
        while True:
            begun = server.requests
            build = start(Path(folder) / "killed", pages, server.url)
            left = max(1, (2 * needed - begun) // max(1, options.kills - kills))
            moment = begun + moments.randint(1, 2 * left)
            while build.poll() is None and (kills >= options.kills or server.requests < moment):
                time.sleep(0.002)
            if build.poll() is not None:
                assert build.returncode == 0, build.returncode
                break
            os.killpg(build.pid, signal.SIGKILL)
            build.wait()
            kills += 1
        extra = server.requests - 2 * needed
        same = tables(Path(folder) / "undisturbed") == tables(Path(folder) / "killed")
        print(f"{needed} requests undisturbed, killed {kills} times: {extra} more")
        print(f"allowed: {kills * IN_FLIGHT}; tables {'equal' if same else 'DIFFER'}")
        sys.exit(not same or extra > kills * IN_FLIGHT)


if __name__ == "__main__":
    main()
