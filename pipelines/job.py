"""What every job has in common: the build it works on, and its command line when run by itself.

python -m pipelines.clean --build STORE/builds/ID [--jobs N] [beam options]
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from pipelines.arguments import LineParser, add_run_options, placed
from pipelines.lock import BUILD, Lease
from pipelines.logs import quiet_logs
from pipelines.machines import Machines
from pipelines.publishing import Publishing, published_id
from pipelines.reachable import StoreNeeded
from pipelines.running import RunOptions
from pipelines.settings import BuildSettings
from schemas.errors import FactmillError, OptionError
from schemas.layout import BuildDir
from schemas.places import absolute
from schemas.stages import read_stages
from transforms.inputs.discovery import Split, plan_splits


@dataclass(frozen=True)
class Job:
    """One run of a job: which build, which published parent, how to run."""

    build: BuildDir
    settings: BuildSettings
    parent: BuildDir | None
    options: RunOptions

    def parent_for(self, stage: str) -> BuildDir | None:
        """The parent when the stage was run there with the same code and settings."""
        if self.parent is None:
            return None
        ours, theirs = read_stages(self.build)[0], read_stages(self.parent)[0]
        return self.parent if stage in ours and ours[stage] == theirs.get(stage) else None

    @cached_property
    def splits(self) -> list[Split]:
        """The inputs as pieces of work. Found once, because every file is opened for it."""
        return plan_splits(self.settings.inputs)


def parent_of(build: BuildDir) -> BuildDir | None:
    """The published build beside it, unless that is the build itself."""
    store = build.store
    if not store.current.is_file():
        return None
    published = store.published()
    return None if published == build else published


def main(job: Callable[[Job], object], name: str, argv: Sequence[str] | None = None) -> int:
    """Run one job on an unfinished build, as `python -m pipelines.NAME` does."""
    parser = LineParser(prog=f"python -m pipelines.{name}", allow_abbrev=False)
    parser.add_argument("--build", type=placed, required=True, help="folder of an unfinished build")
    add_run_options(parser)
    options, beam_arguments = parser.parse_known_args(argv)
    quiet_logs()
    try:
        if options.build.parent.name != "builds":
            raise OptionError(f"--build {options.build}: not STORE/builds/ID")
        # Workers elsewhere have another working directory.
        build = BuildDir(absolute(options.build))
        machines = Machines.of(options)
        run = RunOptions(options.jobs, tuple(beam_arguments), machines=machines)
        run.check()
        settings = BuildSettings.load(build)
        with StoreNeeded(), Lease.take(build.store, BUILD) as lease:
            publishing = Publishing(None, lease, published_id(build.store))
            run = replace(run, publishing=publishing)
            job(Job(build, settings, parent_of(build), run))
    except FactmillError as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2 if isinstance(error, OptionError) else 1
    return 0
