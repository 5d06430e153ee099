"""The program of Dataflow's flex template: one job, whose only worker runs a whole build.

    template's parameters -> arguments of `factmill build` -> a graph of one transform -> Dataflow

A flex template starts one job with one graph, and its program must not wait for it. A build is
several jobs, one after another, so the template's job drives them. `factmill build` runs on its
worker: the whole build, or, with `distribute=true`, the launcher of a Dataflow job for each stage.
When Dataflow loses that worker, it starts another one, which resumes the build.
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
from factmill.pipelines.runners.runner_options import DATAFLOW
from factmill.pipelines.runners.worker_errors import last_line
from factmill.schemas.errors import OptionError

_LOGGER = logging.getLogger(__name__)
# Parameters that are not options of `factmill build`.
STORE, DISTRIBUTE = "store", "distribute"
# Beam has options of the same names, for the driver.
RENAMED = {"machine_type": "step_machine_type"}
# Options without use here: output for calling programs, and local files.
LEFT_OUT = frozenset(
    (
        "help",
        "json",
        "json_logs",
        "questions",
        "max_recall_drop",
        "train_questions",
        "train_encoder",
        "train_extractor",
        "extractor_encoder",
        "train_rewriter",
        "train_links",
    )
)
# Input patterns may contain commas, which gcloud uses to separate parameters.
_BETWEEN_PATTERNS = ";"
# Options that the driver's job passes on to the jobs of the stages.
_INHERITED = (
    "project", "region", "temp_location", "staging_location", "sdk_container_image",
    "service_account_email", "network", "subnetwork", "use_public_ips", "dataflow_kms_key",
)  # fmt: skip


@cache
def parameters() -> Mapping[str, argparse.Action]:
    """The template's parameters that are options of `factmill build`, by name."""
    commands = next(a for a in parser()._actions if isinstance(a, argparse._SubParsersAction))
    actions = commands.choices["build"]._actions
    # Options without help are former names of other options.
    options = {
        action.dest: action
        for action in actions
        if action.option_strings and action.help != argparse.SUPPRESS
    }
    return {
        RENAMED.get(name, name): action for name, action in options.items() if name not in LEFT_OUT
    }


def build_arguments(given: Mapping[str, str]) -> list[str]:
    """Template parameters as arguments of `factmill build`. Raises ValueError for a flag that is
    neither true nor false; the command itself checks everything else.
    """
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
    """Split the launcher's `--name=value` arguments into template parameters and Beam's options."""
    ours, beams = {}, []
    names = {STORE, DISTRIBUTE, *parameters()}
    for argument in argv:
        found = re.fullmatch(r"--(\w+)=(.*)", argument, re.DOTALL)
        if found and found[1] in names:
            ours[found[1]] = found[2]
        else:
            beams.append(argument)
    return ours, beams


def inherited_arguments(beam_arguments: Sequence[str]) -> list[str]:
    """Options that let a driver launch jobs where it runs itself."""
    options = PipelineOptions(list(beam_arguments)).get_all_options()
    arguments = [f"--runner={DATAFLOW}"]
    for name in _INHERITED:
        value = options.get(name)
        if value is False:
            arguments.append(f"--no_{name}")
        elif value is not None:
            arguments.append(f"--{name}" if value is True else f"--{name}={value}")
    return arguments


class _RunBuild(beam.DoFn):  # type: ignore[misc]
    """Runs factmill with these arguments in a process of its own."""

    def __init__(self, arguments: Sequence[str]) -> None:
        self._arguments = tuple(arguments)

    def process(self, _: int) -> list[str]:
        last = ""
        command = [sys.executable, "-m", "factmill", *self._arguments, "--json-logs"]
        with subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            text=True, errors="replace",
        ) as process:  # fmt: skip
            assert process.stderr is not None
            for line in process.stderr:
                _LOGGER.info("%s", line.rstrip())
                last = line.strip() or last
        if process.returncode:
            raise RuntimeError(f"factmill build ended with {process.returncode}: {_reason(last)}")
        return [last]


def _reason(line: str) -> str:
    """The message of a JSON line, or the line itself."""
    try:
        return str(json.loads(line)["message"])
    except (ValueError, KeyError, TypeError):
        return last_line(line)


def main(argv: Sequence[str] | None = None) -> int:
    """Start the driver's job without waiting for it. Exit code 2 for wrong parameters."""
    ours, beams = split(sys.argv[1:] if argv is None else argv)
    try:
        arguments = build_arguments(ours)
        distribute = _truth(DISTRIBUTE, ours.get(DISTRIBUTE, ""))
        # A wrong parameter fails here, not a quarter of an hour later on the worker.
        parser().parse_known_args(arguments)
    except (OptionError, ValueError) as error:
        print(f"factmill: {error}", file=sys.stderr)
        return 2
    if distribute:
        arguments += inherited_arguments(beams)
    options = PipelineOptions([
        "--no_save_main_session", "--num_workers=1", "--max_num_workers=1",
        "--number_of_worker_harness_threads=1", "--experiments=no_use_multiple_sdk_containers",
        "--experiments=disable_logging_submission_environment", *beams,
    ])  # fmt: skip
    pipeline = beam.Pipeline(options=options)
    _ = (
        pipeline
        | "The build" >> beam.Create([0], reshuffle=False)
        | "Run factmill build" >> beam.ParDo(_RunBuild(arguments))
    )
    pipeline.run()
    return 0
