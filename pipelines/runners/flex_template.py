"""The program of Dataflow's flex template: one job, whose only worker runs a whole build.

    template's parameters -> arguments of `factmill build` -> a graph of one step -> Dataflow

A flex template makes one job of one graph, and its program must not wait for it. A build is several
jobs, one after another, so the template's job is their driver: `factmill build` runs on its worker,
all of it, or, with `distribute=true`, as the launcher of a Dataflow job for each step. When that
worker is lost Dataflow starts another one, and the build is resumed there.
"""

from __future__ import annotations

import argparse
import json
import logging
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions

from factmill.pipelines.cli.arguments import parser
from factmill.pipelines.runners.machines import DATAFLOW
from factmill.pipelines.runners.worker_errors import last_line

_LOGGER = logging.getLogger(__name__)
# Parameters that are no option of `factmill build`.
STORE, DISTRIBUTE = "store", "distribute"
# Beam has options of these names, which are those of the driver.
RENAMED = {"machine_type": "step_machine_type"}
# Options that are of no use there: output for programs that start it, files of one's own machine.
LEFT_OUT = frozenset(
    (
        "help",
        "json",
        "json_logs",
        "questions",
        "max_recall_drop",
        "train_questions",
        "train_encoder",
    )
)
# Patterns of the input may have commas, by which gcloud separates parameters.
_BETWEEN_PATTERNS = ";"
# What of the driver's own options the jobs of the steps are launched with.
_HANDED_ON = (
    "project", "region", "temp_location", "staging_location", "sdk_container_image",
    "service_account_email", "network", "subnetwork", "use_public_ips", "dataflow_kms_key",
)  # fmt: skip


@cache
def parameters() -> Mapping[str, argparse.Action]:
    """The template's parameters that are options of `factmill build`, by name."""
    commands = next(a for a in parser()._actions if isinstance(a, argparse._SubParsersAction))
    options = {action.dest: action for action in commands.choices["build"]._actions}
    return {
        RENAMED.get(name, name): action
        for name, action in options.items()
        if action.option_strings and name not in LEFT_OUT
    }


def build_arguments(given: Mapping[str, str]) -> list[str]:
    """Parameters as arguments of `factmill build`. Raises ValueError for one that is neither true
    nor false and should be; the command itself judges all others."""
    arguments = ["build", given.get(STORE, "")]
    for name, action in parameters().items():
        value = given.get(name, "")
        option = action.option_strings[0]
        if name == "input":
            patterns = filter(None, map(str.strip, value.split(_BETWEEN_PATTERNS)))
            arguments += [option, *patterns]
        elif action.nargs == 0:
            arguments += [option] if _truth(name, value) else []
        elif value:
            arguments.append(f"{option}={value}")
    return arguments


def _truth(name: str, value: str) -> bool:
    if value not in ("", "true", "false"):
        raise ValueError(f"{name}={value}: neither true nor false")
    return value == "true"


def split(argv: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """The launcher's `--name=value` arguments: the template's parameters, and Beam's options."""
    ours, beams = {}, []
    known = {STORE, DISTRIBUTE, *parameters()}
    for argument in argv:
        found = re.fullmatch(r"--(\w+)=(.*)", argument, re.DOTALL)
        if found and found[1] in known:
            ours[found[1]] = found[2]
        else:
            beams.append(argument)
    return ours, beams


def handed_on(beam_arguments: Sequence[str]) -> list[str]:
    """Options with which a driver launches jobs like its own."""
    options = PipelineOptions(list(beam_arguments)).get_all_options()
    arguments = [f"--runner={DATAFLOW}"]
    for name in _HANDED_ON:
        value = options.get(name)
        if value is False:
            arguments.append(f"--no_{name}")
        elif value is not None:
            arguments.append(f"--{name}" if value is True else f"--{name}={value}")
    return arguments


class _Drive(beam.DoFn):  # type: ignore[misc]
    """Run factmill with these arguments, in a process of its own."""

    def __init__(self, arguments: Sequence[str]) -> None:
        self._arguments = tuple(arguments)

    def process(self, _: int) -> list[str]:
        said = ""
        command = [sys.executable, "-m", "factmill", *self._arguments, "--json-logs"]
        with subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            text=True, errors="replace",
        ) as process:  # fmt: skip
            assert process.stderr is not None
            for line in process.stderr:
                _LOGGER.info("%s", line.rstrip())
                said = line.strip() or said
        if process.returncode:
            raise RuntimeError(f"factmill build ended with {process.returncode}: {_why(said)}")
        return [said]


def _why(said: str) -> str:
    """The message of the last JSON line, or what else came last."""
    try:
        return str(json.loads(said)["message"])
    except (ValueError, KeyError, TypeError):
        return last_line(said)


def main(argv: Sequence[str] | None = None) -> int:
    """Make the driver's job, and do not wait for it. Exit code 2 for parameters that cannot be."""
    ours, beams = split(sys.argv[1:] if argv is None else argv)
    try:
        arguments = build_arguments(ours)
        distribute = _truth(DISTRIBUTE, ours.get(DISTRIBUTE, ""))
    except ValueError as error:
        print(f"factmill: {error}", file=sys.stderr)
        return 2
    if distribute:
        arguments += handed_on(beams)
    parser().parse_known_args(arguments)  # here, and not a quarter of an hour later on the worker
    options = PipelineOptions([
        "--no_save_main_session", "--num_workers=1", "--max_num_workers=1",
        "--number_of_worker_harness_threads=1", "--experiments=no_use_multiple_sdk_containers",
        "--experiments=disable_logging_submission_environment", *beams,
    ])  # fmt: skip
    pipeline = beam.Pipeline(options=options)
    _ = (
        pipeline
        | "The build" >> beam.Create([0], reshuffle=False)
        | "Run factmill build" >> beam.ParDo(_Drive(arguments))
    )
    pipeline.run()
    return 0
