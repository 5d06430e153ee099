"""How the process ends: Ctrl-C during imports, and output that nobody takes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

# Python runs a file of this name first. The signal comes when the module is looked for.
INTERRUPT = """
import os, signal, sys

# A shell that starts a command in the background has it ignore this signal.
signal.signal(signal.SIGINT, signal.default_int_handler)

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == "{module}":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupting())
"""


@pytest.mark.parametrize(
    "module", ["factmill.pipelines.cli.main", "factmill.transforms.tasks.notices"]
)
def test_ctrl_c_during_imports_ends_with_one_line(tmp_path: Path, module: str) -> None:
    (tmp_path / "sitecustomize.py").write_text(INTERRUPT.format(module=module))

    finished = subprocess.run(
        [sys.executable, "-m", "factmill", "--help"],
        env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert finished.returncode == 130
    assert finished.stderr == "factmill: stopped\n"


def test_output_that_nobody_reads_ends_without_a_word() -> None:
    read, write = os.pipe()
    os.close(read)

    finished = subprocess.run(
        [sys.executable, "-m", "factmill", "--version"],
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": ""},
        stdout=write, stderr=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip
    os.close(write)

    assert (finished.returncode, finished.stderr) == (1, "")


@pytest.mark.parametrize(
    ("module", "package", "extra"),
    [("clean", "apache_beam", "build"), ("train_r2ag", "torch", "r2ag")],
)
def test_a_module_without_a_package_that_it_imports_ends_with_one_line(
    tmp_path: Path, module: str, package: str, extra: str
) -> None:
    lacking = f"import sys\nsys.modules['{package}'] = None\n"
    (tmp_path / "sitecustomize.py").write_text(lacking)

    finished = subprocess.run(
        [sys.executable, "-m", f"factmill.pipelines.{module}", "--help"],
        env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip

    name = package.replace("_", "-")
    assert finished.returncode == 1
    assert finished.stderr == (
        f"python -m factmill.pipelines.{module}: {name} is not installed;"
        f" run: pip install 'factmill[{extra}]'\n"
    )
