"""Simulates workers on other machines: processes with their own Python environment.

factmill is installed there from its source distribution.
Each worker records the files that it makes: an audit hook notices when a file gets its final name.
A worker can be told to kill itself at such a moment.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import tarfile
import time
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.conftest import ROOT

PACKAGES = ("factmill", "schemas", "models", "transforms", "pipelines", "runtime", "dataflow")
_DATA = ("locks",)
_SECONDS_TO_START = 60
_HOOK = """
import json, os, signal, sys

def _note(event, arguments):
    if event != "os.rename" or "/builds/" not in str(arguments[1]):
        return
    folder, made = os.environ["FACTMILL_NOTES"], str(arguments[1])
    layout = sys.modules.get("factmill.schemas.layout")
    line = json.dumps({"made": made, "layout": getattr(layout, "__file__", ""), "path": sys.path})
    with open(os.path.join(folder, str(os.getpid())), "a") as notes:
        notes.write(line + "\\n")
    wanted = os.path.join(folder, "kill")
    try:
        with open(wanted) as file:
            part = file.read()
    except OSError:
        return
    if part in made:
        os.rename(wanted, wanted + "ed")
        os.kill(os.getpid(), signal.SIGKILL)

if "FACTMILL_NOTES" in os.environ:
    sys.addaudithook(_note)
"""


def source_distribution(folder: Path) -> Path:
    """factmill's source distribution, as it would be uploaded."""
    return packed(folder, "sdist", "factmill-*.tar.gz")


def packed(folder: Path, kind: str, name: str) -> Path:
    """A distribution of factmill of a kind that setuptools makes. It is made from a copy, because
    setuptools leaves files behind.
    """
    copy = folder / "checkout"
    for package in (*PACKAGES, *_DATA):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / package, copy / package, symlinks=True, ignore=ignored)
    for path in ROOT.iterdir():
        if path.is_file() and (not path.name.startswith(".") or path.name == ".dockerignore"):
            shutil.copy(path, copy)
    command = [sys.executable, "setup.py", "-q", kind, "-d", str(folder)]
    subprocess.run(command, cwd=copy, check=True, capture_output=True)
    shutil.rmtree(copy)
    (made,) = folder.glob(name)
    return made


def environment(folder: Path, distribution: Path) -> Path:
    """A virtual environment with that distribution and the libraries of this one; returns its
    Python.
    """
    venv.create(folder)
    site = next(folder.glob("lib/python*/site-packages"))
    # Only the folder itself: its .pth files would add an editable factmill.
    (site / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")
    (site / "sitecustomize.py").write_text(_HOOK)
    unpacked = folder / "source"
    with tarfile.open(distribution) as archive:
        archive.extractall(unpacked, filter="data")
    (source,) = unpacked.iterdir()
    command = [sys.executable, "setup.py", "-q", "install_lib", "--no-compile"]
    command += ["--install-dir", str(site)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    return folder / "bin" / "python"


# What each worker made, by its process id.
Notes = dict[int, list[dict[str, Any]]]


def notes_in(folder: Path) -> Notes:
    """The notes of the workers whose environment names this folder."""
    return {
        int(path.name): [json.loads(line) for line in path.read_text().splitlines()]
        for path in folder.iterdir()
        if path.name.isdecimal()
    }


def worker_variables(python: Path, notes: Path) -> dict[str, str]:
    """Environment variables of workers: nothing from this checkout, and the folder for notes."""
    variables = {**os.environ, "FACTMILL_NOTES": str(notes), "OMP_NUM_THREADS": "1"}
    variables.pop("PYTHONPATH", None)
    # A pool starts workers as "python".
    variables["PATH"] = f"{python.parent}{os.pathsep}{variables['PATH']}"
    return variables


@dataclass
class Cluster:
    """A job server, and a pool that starts workers."""

    folder: Path
    python: Path
    job_server: int
    pool: int

    @property
    def options(self) -> list[str]:
        """Options of `factmill build`."""
        return [
            "--runner=PortableRunner", f"--job_endpoint=localhost:{self.job_server}",
            "--environment_type=EXTERNAL", f"--environment_config=localhost:{self.pool}",
            "--workers=2",
        ]  # fmt: skip

    def notes(self) -> Notes:
        return notes_in(self.notes_folder)

    @property
    def notes_folder(self) -> Path:
        return self.folder / "notes"

    def kill_at(self, part: str) -> None:
        """Kill the first worker that makes a file whose path contains this text."""
        (self.notes_folder / "kill").write_text(part)

    @property
    def killed(self) -> bool:
        return (self.notes_folder / "killed").exists()


@contextmanager
def cluster(folder: Path, python: Path) -> Iterator[Cluster]:
    """A cluster on this machine; all its processes end with the block."""
    notes, port_file, pool = folder / "notes", folder / "port", free_port()
    notes.mkdir(parents=True)
    away = folder / "away"
    away.mkdir()
    variables = worker_variables(python, notes)
    # A copy, because a program imports from its own folder first.
    workers = [str(python), shutil.copy(Path(__file__).with_name("worker_pool.py"), away)]
    server = [sys.executable, "-m", "tests.portable.job_server", str(folder / "staged")]
    with (
        running([*workers, str(pool)], away, variables, folder / "pool.log"),
        running([*server, str(port_file)], ROOT, dict(os.environ), folder / "server.log"),
    ):
        wait_for(port_file.exists)
        wait_for(lambda: answers(pool))
        yield Cluster(folder, python, int(port_file.read_text()), pool)


@contextmanager
def running(
    command: list[str], folder: Path, variables: dict[str, str], log: Path
) -> Iterator[None]:
    """A process and its descendants, in their own process group."""
    with log.open("wb") as said:
        process = subprocess.Popen(
            command, cwd=folder, env=variables, stdin=subprocess.DEVNULL, stdout=said,
            stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
    try:
        yield
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def wait_for(condition: Any) -> None:
    until = time.monotonic() + _SECONDS_TO_START
    while not condition():
        assert time.monotonic() < until, "the cluster did not start"
        time.sleep(0.1)


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def answers(port: int) -> bool:
    with socket.socket() as client:
        client.settimeout(1)
        return client.connect_ex(("127.0.0.1", port)) == 0
