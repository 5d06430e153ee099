"""The flex template: its parameters are options of `factmill build`, and its job runs a build."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from factmill.pipelines.cli.arguments import parser
from factmill.pipelines.runners.flex_template import (
    DISTRIBUTE,
    LEFT_OUT,
    STORE,
    build_arguments,
    inherited_arguments,
    main,
    parameters,
    split,
)
from factmill.schemas.errors import OptionError
from factmill.schemas.layout import Store
from tests.conftest import ROOT, SHARDS, Museum

METADATA = json.loads((ROOT / "dataflow" / "flex_template.json").read_text(encoding="utf-8"))
# Of each parameter that takes more than a number or a truth, a value that the command takes, and
# one that it does not.
VALUES = {
    "kinds": ("article,forum", "news"),
    "languages": ("en,de", "english"),
    "near_duplicates": ("0.85", "0.2"),
    "reader": ("llm", "human"),
    "max_page_drop": ("0.2", "1.5"),
    "llm_accelerator": ("type:nvidia-l4;count:1;install-nvidia-driver", "nvidia-l4"),
    "encode_accelerator": ("type:nvidia-tesla-t4;count:2", "a gpu"),
}


def described() -> dict[str, dict[str, Any]]:
    return {parameter["name"]: parameter for parameter in METADATA["parameters"]}


def accepted(arguments: list[str]) -> bool:
    try:
        parser().parse_args(arguments)
    except OptionError:
        return False
    return True


def test_every_parameter_is_an_option_and_every_option_a_parameter() -> None:
    assert set(described()) == {STORE, DISTRIBUTE, *parameters()}
    options = set(parser().parse_args(["build", "S", "--input", "i"]).__dict__)
    unknown = LEFT_OUT - options - {"help"}
    assert not unknown


def test_parameters_are_described_as_the_launcher_wants_them() -> None:
    for name, parameter in described().items():
        assert re.fullmatch(r"[a-z_]+", name)
        assert parameter["label"]
        assert parameter["helpText"].endswith((".", ".)"))
        assert parameter["paramType"] == "TEXT"
        assert parameter["isOptional"] == (name not in (STORE, "input"))


@pytest.mark.parametrize("name", sorted(parameters()))
def test_regexes_say_what_the_command_says(name: str) -> None:
    patterns = described()[name].get("regexes", [])
    action = parameters()[name]
    good, bad = VALUES.get(name, ("3", "-3"))
    if action.nargs == 0:
        good, bad = "true", "yes"
    elif action.type is None and name not in VALUES:
        return
    for value, right in ((good, True), (bad, False)):
        assert all(re.fullmatch(pattern, value) for pattern in patterns) is right, value
        if action.nargs == 0 and not right:
            with pytest.raises(ValueError, match=name):
                build_arguments({STORE: "S", "input": "i", name: value})
        else:
            given = {STORE: "S", "input": "i", name: value}
            assert accepted(build_arguments(given)) is right, value


def test_split_keeps_beams_options_apart() -> None:
    ours, beams = split([
        "--store=/s", "--input=a b;c,d", "--full=true", "--runner=DataflowRunner",
        "--machine_type=n2-standard-16", "--step_machine_type=n2-standard-4", "--max_workers=9",
        "--template_location=gs://b/job_object",
    ])  # fmt: skip

    assert build_arguments(ours) == [
        "build", "/s", "--input", "a b", "c,d", "--max-workers=9", "--machine-type=n2-standard-4",
        "--full",
    ]  # fmt: skip
    assert beams == [
        "--runner=DataflowRunner", "--machine_type=n2-standard-16",
        "--template_location=gs://b/job_object",
    ]  # fmt: skip


def test_steps_are_launched_where_the_driver_was_and_as_jobs_of_their_own() -> None:
    arguments = inherited_arguments([
        "--runner=DataflowRunner", "--project=p-1", "--region=r", "--temp_location=gs://b/t",
        "--job_name=night", "--template_location=gs://b/job_object", "--no_use_public_ips",
        "--sdk_container_image=I", "--num_workers=1",
    ])  # fmt: skip

    assert arguments == [
        "--runner=DataflowRunner", "--project=p-1", "--region=r", "--temp_location=gs://b/t",
        "--sdk_container_image=I", "--no_use_public_ips",
    ]  # fmt: skip


@pytest.mark.parametrize("given", ["--full=perhaps", "--distribute=1", "--jobs=abc"])
def test_parameters_that_cannot_be_are_one_line(
    given: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--store=/s", "--input=i", given]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def launch(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the template's program as its launcher does, on a runner of this machine; it says on
    standard error what it imports."""
    command = [sys.executable, str(ROOT / "dataflow" / "launch.py"), *arguments]
    variables = {
        **os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1",
        "PYTHONPROFILEIMPORTTIME": "1",
    }  # fmt: skip
    return subprocess.run(
        [*command, "--runner=FnApiRunner"],
        env=variables, capture_output=True, text=True, timeout=250,
    )  # fmt: skip


@pytest.mark.several_machines
def test_the_program_of_the_template_runs_the_build_of_its_parameters(
    tmp_path: Path, built_museum: Museum, small_encoder: str
) -> None:
    store = Store(tmp_path / "the store")
    shutil.copytree(built_museum.store.root, store.root)
    published = store.published()
    # The same build once more takes no time, and tidies up.
    published.work.mkdir()

    options = [f"--shards={SHARDS}", "--code_bits=128", "--jobs=1", f"--encoder={small_encoder}"]
    done = launch(f"--store={store.root}", f"--input={built_museum.pages}", *options)

    assert done.returncode == 0, done.stderr
    # A build with nothing to do does not wait for what only learning and encoding need.
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "apache_beam" in imported
    assert "torch" not in imported
    assert not published.work.exists()
    assert store.builds() == [store.published()] == [published]


def test_a_build_that_fails_fails_the_job_with_its_line(tmp_path: Path) -> None:
    arguments = [f"--store={tmp_path / 'store'}", f"--input={tmp_path / 'nothing'}"]
    said = "factmill build ended with 2: --input .*no such file"
    with pytest.raises(RuntimeError, match=said):
        main([*arguments, "--runner=FnApiRunner"])
