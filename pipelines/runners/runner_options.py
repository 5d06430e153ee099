"""Translates factmill's options into those of Beam and of each runner.

Add new runner options here; `pipelines/cli/run_arguments.py` parses their arguments. A build is
several jobs, one after another, each with its own name and needs.
"""

from __future__ import annotations

import argparse
import importlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from apache_beam.options.pipeline_options import PipelineOptions, StandardOptions
from apache_beam.transforms.resources import parse_resource_hints

from factmill.schemas.errors import OptionError
from factmill.schemas.layout import BuildDir

DATAFLOW = "DataflowRunner"
# A job server given by its address; any runner may be behind it.
PORTABLE = "PortableRunner"
# Beam has no short name for it.
DASK = "apache_beam.runners.dask.dask_runner.DaskRunner"
_DASK_PARTITIONS = ("--dask_partition_size", "--dask_npartitions")
_MAX_NAME_CHARACTERS = 63
_SDK_PROCESSES = "use_multiple_sdk_containers"


@dataclass(frozen=True, slots=True)
class RemoteWorkers:
    """The workers of another runner: how many at the start and at most, and on which machines.
    `encode_accelerator` is Beam's resource hint for the jobs that run the encoder, `min_ram` the
    one for all jobs.
    """

    number: int | None = None
    max_number: int | None = None
    machine_type: str = ""
    min_ram: str = ""
    encode_accelerator: str = ""

    @classmethod
    def of(cls, options: argparse.Namespace) -> RemoteWorkers:
        """From the command line."""
        return cls(
            options.workers, options.max_workers, options.machine_type, options.min_ram,
            options.encode_accelerator,
        )  # fmt: skip

    def check(self, runner: str) -> None:
        """Raises OptionError for an option that this runner ("" is the local one) does not have."""
        if not runner and self != RemoteWorkers():
            raise OptionError(
                f"{self._given()[0]}: is for workers of another runner (--runner); the local one"
                " has --jobs"
            )
        for name in ("--max-workers", "--machine-type"):
            if runner != DATAFLOW and name in self._given():
                raise OptionError(f"{name}: only --runner={DATAFLOW} chooses its machines")
        if self.min_ram:
            try:
                parse_resource_hints({"min_ram": self.min_ram})
            except ValueError:
                raise OptionError(f"--min-ram {self.min_ram}: not a size like 16GB") from None

    def _given(self) -> list[str]:
        values = {
            "--workers": self.number,
            "--max-workers": self.max_number,
            "--machine-type": self.machine_type,
            "--min-ram": self.min_ram,
            "--encode-accelerator": self.encode_accelerator,
        }
        return [name for name, value in values.items() if value]

    @property
    def encode_hints(self) -> dict[str, str]:
        """Resource hints of the transforms that run the encoder."""
        return {"accelerator": self.encode_accelerator} if self.encode_accelerator else {}


@dataclass(frozen=True, slots=True)
class BeamJob:
    """A Beam job of a build. `alone` asks for one worker process per machine: it uses all cores, or
    the GPU, by itself.
    """

    build: BuildDir
    name: str
    alone: bool = False

    def job_name(self, prefix: str) -> str:
        """A name that Dataflow accepts, and accepts once at a time: while the job of a dead
        launcher still runs, the same job is refused.
        """
        suffix = f"-{self.name}-{self.build.build_id}"
        name = prefix[: _MAX_NAME_CHARACTERS - len(suffix)] + suffix
        return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def runner_of(beam_arguments: Sequence[str]) -> str:
    """The runner that Beam's options name; "" for the local one."""
    name = PipelineOptions(list(beam_arguments)).view_as(StandardOptions).runner
    return str(name or "")


def check_beam_arguments(arguments: Sequence[str]) -> None:
    """Raises OptionError for an option that neither factmill nor Beam has, for a value that Beam
    cannot parse, and for a runner that cannot be loaded.
    """
    _beam_parser().parse_known_args(arguments)
    _load_runner(runner_of(arguments))
    # A runner adds options when it is loaded.
    parser = _beam_parser()
    parser.parse_known_args(arguments)
    for position, argument in enumerate(arguments):
        name = argument.split("=", 1)[0]
        if name.startswith("-") and name not in parser._option_string_actions:
            raise OptionError(f"{name}: no such option of this command, nor of Beam")
        if position == 0 and not name.startswith("-"):
            raise OptionError(f"{name}: not an option")


class _BeamParser(argparse.ArgumentParser):
    """Beam's parser prints usage and exits where this one raises OptionError."""

    def error(self, message: str) -> NoReturn:
        raise OptionError(message)


def _beam_parser() -> _BeamParser:
    parser = _BeamParser(add_help=False, allow_abbrev=False, conflict_handler="resolve")
    for options in PipelineOptions.__subclasses__():
        options._add_argparse_args(parser)
    return parser


def _load_runner(name: str) -> None:
    """Import the module of a runner given by its full path; the import adds its options to
    Beam's.
    """
    if "." not in name:
        return
    try:
        importlib.import_module(name.rpartition(".")[0])
    except (ImportError, ValueError) as error:
        raise OptionError(f"--runner={name}: {error}") from None


def remote_arguments(
    beam_arguments: Sequence[str], workers: RemoteWorkers, job: BeamJob
) -> list[str]:
    """Beam's options for a job on another runner: our defaults, then the user's own options, which
    override them, then the job's.
    """
    runner = runner_of(beam_arguments)
    # Workers run the code of their own image or environment; none is sent.
    arguments = ["--experiments=disable_logging_submission_environment"]
    if workers.min_ram:
        arguments.append(f"--resource_hint=min_ram={workers.min_ram}")
    if runner == DATAFLOW:
        return [
            *arguments,
            *_dataflow_defaults(workers),
            *beam_arguments,
            *_dataflow_job(beam_arguments, job),
        ]
    if workers.number:
        # The option's name in Beam's own job server, and in Flink's.
        arguments += [
            f"--direct_num_workers={workers.number}",
            f"--parallelism={workers.number}",
        ]
    if runner == DASK and not any(name.startswith(_DASK_PARTITIONS) for name in beam_arguments):
        # Otherwise 128 tasks become one bundle for one worker.
        arguments.append("--dask_partition_size=1")
    return [*arguments, *beam_arguments]


def _dataflow_defaults(workers: RemoteWorkers) -> list[str]:
    # Python computes in one thread; more threads would only hold more tasks in memory.
    arguments = ["--number_of_worker_harness_threads=1"]
    if workers.number:
        arguments.append(f"--num_workers={workers.number}")
    if workers.max_number:
        arguments.append(f"--max_num_workers={workers.max_number}")
    if workers.machine_type:
        arguments.append(f"--machine_type={workers.machine_type}")
    return arguments


def _dataflow_job(beam_arguments: Sequence[str], job: BeamJob) -> list[str]:
    options = PipelineOptions(list(beam_arguments)).get_all_options()
    arguments = [
        f"--job_name={job.job_name(options['job_name'] or 'factmill')}",
        f"--labels=factmill-job={job.name}",
    ]
    chosen = any(_SDK_PROCESSES in experiment for experiment in options["experiments"] or ())
    if job.alone and not chosen:
        arguments.append(f"--experiments=no_{_SDK_PROCESSES}")
    return arguments
