"""The machines of another runner than the local one: how many, of which type, with what in them.

What is said here in factmill's words becomes options of Beam, in the words of each runner. One
build is several jobs, one after another, and each has a name and needs of its own.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from dataclasses import dataclass

from apache_beam.options.pipeline_options import PipelineOptions, StandardOptions
from apache_beam.transforms.resources import parse_resource_hints

from factmill.schemas.errors import OptionError
from factmill.schemas.layout import BuildDir

DATAFLOW = "DataflowRunner"
# A job server that is named by its address; who is behind it is not known.
PORTABLE = "PortableRunner"
_MOST_IN_A_NAME = 63
_SDK_PROCESSES = "use_multiple_sdk_containers"


@dataclass(frozen=True, slots=True)
class Machines:
    """Options for workers elsewhere. `encode_accelerator` is Beam's hint for the jobs that run the
    encoder, `min_ram` the one for all."""

    workers: int | None = None
    max_workers: int | None = None
    machine_type: str = ""
    min_ram: str = ""
    encode_accelerator: str = ""

    @classmethod
    def of(cls, options: argparse.Namespace) -> Machines:
        """From the command line."""
        return cls(
            options.workers, options.max_workers, options.machine_type, options.min_ram,
            options.encode_accelerator,
        )  # fmt: skip

    def check(self, runner: str) -> None:
        """Raises OptionError for what this runner ("" is the local one) cannot be told."""
        if not runner and self != Machines():
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
        said = {
            "--workers": self.workers,
            "--max-workers": self.max_workers,
            "--machine-type": self.machine_type,
            "--min-ram": self.min_ram,
            "--encode-accelerator": self.encode_accelerator,
        }
        return [name for name, value in said.items() if value]

    @property
    def encode_hints(self) -> dict[str, str]:
        """Resource hints of the transforms that run the encoder."""
        return {"accelerator": self.encode_accelerator} if self.encode_accelerator else {}


@dataclass(frozen=True, slots=True)
class BeamJob:
    """A Beam job of a build. `alone` says that it wants one worker process a machine, because it
    uses all of its cores, or its GPU, by itself."""

    build: BuildDir
    name: str
    alone: bool = False

    def job_name(self, prefix: str) -> str:
        """A name that Dataflow takes, and takes once at a time: a run that is started again while
        the job of a dead launcher still runs is refused."""
        which = f"-{self.name}-{self.build.build_id}"
        said = prefix[: _MOST_IN_A_NAME - len(which)] + which
        return re.sub(r"[^a-z0-9]+", "-", said.lower()).strip("-")


def runner_of(beam_arguments: Sequence[str]) -> str:
    """The runner that Beam's options name, "" for none: the local one."""
    name = PipelineOptions(list(beam_arguments)).view_as(StandardOptions).runner
    return str(name or "")


def remote_arguments(beam: Sequence[str], machines: Machines, step: BeamJob) -> list[str]:
    """Beam's options for a job of another runner: defaults, which the user's own come after and
    win over, and what belongs to this job."""
    runner = runner_of(beam)
    # What is in the workers' image or environment is what runs: nothing is sent along.
    arguments = ["--experiments=disable_logging_submission_environment"]
    if machines.min_ram:
        arguments.append(f"--resource_hint=min_ram={machines.min_ram}")
    if runner == DATAFLOW:
        return [*arguments, *_dataflow_defaults(machines), *beam, *_dataflow_job(beam, step)]
    if machines.workers:
        # What Beam's own job server calls it, and what Flink's does.
        arguments += [
            f"--direct_num_workers={machines.workers}",
            f"--parallelism={machines.workers}",
        ]
    return [*arguments, *beam]


def _dataflow_defaults(machines: Machines) -> list[str]:
    # Python computes with one thread: more of them would only be more pieces in memory at once.
    arguments = ["--number_of_worker_harness_threads=1"]
    if machines.workers:
        arguments.append(f"--num_workers={machines.workers}")
    if machines.max_workers:
        arguments.append(f"--max_num_workers={machines.max_workers}")
    if machines.machine_type:
        arguments.append(f"--machine_type={machines.machine_type}")
    return arguments


def _dataflow_job(beam: Sequence[str], step: BeamJob) -> list[str]:
    options = PipelineOptions(list(beam)).get_all_options()
    arguments = [
        f"--job_name={step.job_name(options['job_name'] or 'factmill')}",
        f"--labels=factmill-job={step.name}",
    ]
    said = any(_SDK_PROCESSES in experiment for experiment in options["experiments"] or ())
    if step.alone and not said:
        arguments.append(f"--experiments=no_{_SDK_PROCESSES}")
    return arguments
