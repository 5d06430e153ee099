"""Size of the runtime, and time of its first answers.

The wheel is installed without extras into a fresh environment, and searches a store:

    python -m tests.benchmarks.bench_first_query STORE [--query TEXT] [--runs N] [--python PATH]

    megabytes of the installation, and of its largest packages
    the first search ever, and later ones: wall-clock and processor seconds

Processor seconds are more reliable on a machine that does other work. Installing needs the package
index. With --python, an existing environment is measured instead of a fresh one.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
import venv
from contextlib import ExitStack
from pathlib import Path

from tests.conftest import ROOT
from tests.portable.cluster import packed

_SHOWN = 12
# Packages of every environment.
_OF_THE_ENVIRONMENT = ("pip", "setuptools", "pkg_resources", "_distutils_hack")


def installed(folder: Path) -> Path:
    """Install the wheel into a fresh environment; returns its Python."""
    wheel = packed(folder, "bdist_wheel", "factmill-*.whl")
    venv.create(folder / "venv", with_pip=True)
    python = folder / "venv" / "bin" / "python"
    constraints = ROOT / "constraints.txt"
    command: list[str | Path] = [python, "-m", "pip", "install", "--quiet"]
    command += ["-c", constraints, wheel]
    subprocess.run(command, check=True)
    return python


def sizes(python: Path) -> dict[str, float]:
    """Megabytes of each entry in the environment's package folder, by name."""
    script = "import sysconfig; print(sysconfig.get_path('purelib'))"
    found = subprocess.run([python, "-c", script], check=True, capture_output=True, text=True)
    site = Path(found.stdout.strip())
    return {
        path.name: _bytes(path) / 2**20
        for path in site.iterdir()
        if not path.name.startswith(_OF_THE_ENVIRONMENT)
    }


def _bytes(path: Path) -> int:
    """The space on the disk."""
    every = [path, *path.rglob("*")] if path.is_dir() else [path]
    return sum(file.lstat().st_blocks * 512 for file in every)


def search(python: Path, store: str, query: str) -> tuple[float, float]:
    """Wall-clock and processor seconds of a search, including the start of Python."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [str(python), "-m", "factmill", "search", store, query, "-k", "5"]
    done = subprocess.run(
        command, cwd="/", env=environment, capture_output=True, text=True, check=False
    )
    took = time.monotonic() - began
    if done.returncode or not done.stdout:
        sys.exit(f"the search failed: {done.stderr.strip() or 'the search finds nothing'}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return took, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("store")
    parser.add_argument("--query", default="Who designed the Eiffel Tower?")
    parser.add_argument("--runs", type=int, default=5, help="searches after the first")
    parser.add_argument("--python", type=Path, help="of an environment with factmill")
    options = parser.parse_args()
    store = options.store if "://" in options.store else str(Path(options.store).resolve())
    with ExitStack() as stack:
        python = options.python
        if python is None:
            python = installed(Path(stack.enter_context(tempfile.TemporaryDirectory())))
        by_name = sizes(python)
        print(f"installed: {sum(by_name.values()):.0f} MB")
        for name, megabytes in sorted(by_name.items(), key=lambda item: -item[1])[:_SHOWN]:
            print(f"    {megabytes:6.1f} {name}")
        for run in range(1 + options.runs):
            took, busy = search(python, store, options.query)
            name = "a later search" if run else "first search"
            print(f"{name}: {took:.2f} s, {busy:.2f} s of processors")


if __name__ == "__main__":
    main()
