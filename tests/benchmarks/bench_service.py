"""The HTTP service under a load of a fixed number of requests, on loopback.

    python -m tests.benchmarks.bench_service STORE QUESTIONS.jsonl [--rate 50] [--seconds 60]
                                             [--workers 2] [--publish 3] [--idle 10000]

    one at a time   the median of a search over HTTP, beside that of `Index.search` here; both on
                    the same questions, each first every other time, since the second one finds the
                    rows in the processor's cache; and what both take of processors, which is
                    what counts on a machine that does other work
    at a rate       requests leave when they are due, whether others are answered or not; a time
                    counts from then, so waiting counts as well. With --publish, so many builds are
                    published meanwhile, as links to the files of the first one
    idle            with --idle, so many connections are open meanwhile that never say anything
    memory          what the processes have for themselves, before and after, and the most

The store is not changed: what is served is a store of links to its files, in a folder of its own
beside it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from factmill.runtime.evaluate import read_questions
from factmill.runtime.opening import open_index
from factmill.schemas.layout import Store
from factmill.schemas.manifest import read_manifest

K = 20
_ONE_AT_A_TIME = 200
_WARM = 50
_CONNECTIONS = 32


@dataclass(frozen=True)
class Server:
    """A running service."""

    port: int
    process: subprocess.Popen[str]

    def megabytes(self) -> float:
        """The private memory of its processes; mapped files are not counted."""
        return sum(_private_megabytes(process) for process in _with_children(self.process.pid))

    def processor_seconds(self) -> float:
        """The processor seconds of its processes so far."""
        return sum(_processor_seconds(process) for process in _with_children(self.process.pid))


def _processor_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _with_children(process: int) -> list[int]:
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return [process, *(one for child in children for one in _with_children(int(child)))]


def _private_megabytes(process: int) -> float:
    """Read from the kernel's counters: summing up mappings would stop the process for 25 ms."""
    _, resident, of_files, *_ = map(int, Path(f"/proc/{process}/statm").read_text().split())
    return (resident - of_files) * os.sysconf("SC_PAGE_SIZE") / 1e6


@contextmanager
def served(store: Path, workers: int) -> Iterator[Server]:
    """Serve a store with the command `factmill serve`."""
    command = [
        sys.executable, "-m", "factmill", "serve", str(store), "--port", "0",
        "--workers", str(workers), "--check", "sizes",
    ]  # fmt: skip
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        try:
            yield Server(int(line.rpartition(":")[2]), process)
        finally:
            process.send_signal(signal.SIGTERM)


class Connection:
    """HTTP/1.1 by hand, because a client library takes longer than the service."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    @classmethod
    async def to(cls, port: int) -> Connection:
        """Connect; waits until the service listens."""
        while True:
            try:
                return cls(*await asyncio.open_connection("127.0.0.1", port))
            except ConnectionRefusedError:
                await asyncio.sleep(0.2)

    async def search(self, query: str) -> int:
        """Search; returns the status."""
        body = json.dumps({"query": query, "k": K}).encode()
        self._writer.write(
            b"POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            + f"Content-Length: {len(body)}\r\n\r\n".encode()
            + body
        )
        head = (await self._reader.readuntil(b"\r\n\r\n")).lower()
        length = int(head.split(b"content-length:")[1].split(b"\r\n")[0])
        await self._reader.readexactly(length)
        return int(head.split()[1])

    @property
    def ended(self) -> bool:
        """Whether the service has closed the connection."""
        return self._reader.at_eof() or self._reader.exception() is not None

    def close(self) -> None:
        self._writer.close()


async def one_at_a_time(store: Path, server: Server, queries: Sequence[str]) -> None:
    """Print both medians."""
    index = open_index(store, "sizes")
    for query in queries[:_WARM]:
        index.search(query, K)
    # Connect only now: the service closes connections without a request after ten seconds.
    connection = await Connection.to(server.port)
    for query in queries[:_WARM]:
        await connection.search(query)
    here, there = [], []
    asked = queries[:_ONE_AT_A_TIME]
    processor_here = 0.0
    processor_there = server.processor_seconds()
    for number, query in enumerate(asked):
        for over_http in (number % 2 == 1, number % 2 == 0):
            begun, start = time.process_time(), time.perf_counter()
            if over_http:
                assert await connection.search(query) == 200
                there.append(1000 * (time.perf_counter() - start))
            else:
                index.search(query, K)
                here.append(1000 * (time.perf_counter() - start))
                processor_here += time.process_time() - begun
    processor_there = server.processor_seconds() - processor_there
    connection.close()
    overhead = statistics.median(b - a for a, b in zip(here, there, strict=True))
    print(
        f"one at a time, {len(here)} questions, {K} pages each: median"
        f" {statistics.median(here):.2f} ms by Index.search, {statistics.median(there):.2f} ms over"
        f" HTTP; median of the differences {overhead:.2f} ms; of processors"
        f" {1000 * processor_here / len(asked):.2f} and {1000 * processor_there / len(asked):.2f}"
        " ms a question",
        flush=True,
    )


async def at_a_rate(server: Server, queries: Sequence[str], rate: float, count: int) -> None:
    """Send requests when they are due, and print their times."""
    free: asyncio.Queue[Connection] = asyncio.Queue()
    for _ in range(_CONNECTIONS):
        free.put_nowait(await Connection.to(server.port))
    times: list[float] = []
    errors: list[str] = []

    async def send(number: int, due: float) -> None:
        connection = await free.get()
        try:
            status = await connection.search(queries[number % len(queries)])
            if status != 200:
                errors.append(str(status))
        except (OSError, asyncio.IncompleteReadError) as error:
            errors.append(type(error).__name__)
            connection = await Connection.to(server.port)
        free.put_nowait(connection)
        times.append(1000 * (time.perf_counter() - due))

    await asyncio.gather(*(send(number, time.perf_counter()) for number in range(_WARM)))
    times.clear()
    taken, start = server.processor_seconds(), time.perf_counter()
    running = []
    for number in range(count):
        due = start + number / rate
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        running.append(asyncio.create_task(send(number, due)))
    await asyncio.gather(*running)
    seconds = time.perf_counter() - start
    while not free.empty():
        free.get_nowait().close()
    ordered = sorted(times)
    shown = ", ".join(
        f"{name} {ordered[min(len(ordered) - 1, int(share * len(ordered)))]:.1f}"
        for name, share in (("median", 0.5), ("95%", 0.95), ("99%", 0.99), ("most", 1.0))
    )
    print(
        f"at {rate:g} a second, {count} requests in {seconds:.1f} s: {shown} ms;"
        f" errors: {len(errors)} {sorted(set(errors))}; of processors"
        f" {1000 * (server.processor_seconds() - taken) / count:.2f} ms a request; load of the"
        f" machine {os.getloadavg()[0]:.1f}",
        flush=True,
    )


async def publishing(store: Store, count: int, seconds: float) -> None:
    """Publish builds at regular intervals, as links to the files of the published one."""
    for number in range(count):
        await asyncio.sleep(seconds / (count + 1))
        await asyncio.to_thread(publish_again, store, f"again-{number}")
        print(f"published {store.published().build_id}", flush=True)


def publish_again(store: Store, build_id: str) -> None:
    """Publish the files of the published build again, under another id."""
    old, new = store.published(), store.build(build_id)
    link_files(Path(str(old.root)), Path(str(new.root)))
    Path(str(new.manifest)).unlink()
    replace(read_manifest(old), build_id=build_id).write(new)
    store.publish(new)


def link_files(source: Path, target: Path) -> None:
    """Make a folder of links to the files of another."""
    for path in source.rglob("*"):
        if path.is_file():
            linked = target / path.relative_to(source)
            linked.parent.mkdir(parents=True, exist_ok=True)
            os.link(path, linked)


async def watched(server: Server, work: asyncio.Task[None]) -> list[float]:
    """The megabytes of a service, every second while `work` runs."""
    found = []
    while not work.done():
        found.append(server.megabytes())
        await asyncio.sleep(1)
    await work
    return found


async def run(options: argparse.Namespace, root: Path) -> None:
    source, store = Store(options.store).published(), Store(root)
    link_files(Path(str(source.root)), root / "builds" / source.build_id)
    store.publish(store.build(source.build_id))
    queries = [question.text for question in read_questions(options.questions)]
    count = int(options.rate * options.seconds)
    with served(root, options.workers) as server:
        (await Connection.to(server.port)).close()
        await one_at_a_time(root, server, queries)
        before = server.megabytes()
        idle = [await Connection.to(server.port) for _ in range(options.idle)]

        async def load() -> None:
            await asyncio.gather(
                at_a_rate(server, queries, options.rate, count),
                publishing(store, options.publish, options.seconds),
            )

        found = await watched(server, asyncio.create_task(load()))
        await asyncio.sleep(2)
        tenth = max(1, len(found) // 10)
        means = [statistics.mean(found[i : i + tenth]) for i in range(0, len(found), tenth)]
        print(
            f"memory of {options.workers} processes: {before:.0f} MB before, means of tenths"
            f" {list(map(round, means))} MB, most {max(found):.0f}, {server.megabytes():.0f} after"
        )
        if idle:
            ended = sum(connection.ended for connection in idle)
            print(f"{len(idle)} idle connections: {ended} were closed")
        for connection in idle:
            connection.close()


def main(argv: Sequence[str] | None = None) -> int:
    assert __doc__
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("store", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--rate", type=float, default=50.0)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--publish", type=int, default=0)
    parser.add_argument("--idle", type=int, default=0)
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(dir=options.store.parent, prefix="served-") as folder:
        asyncio.run(run(options, Path(folder) / "store"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
