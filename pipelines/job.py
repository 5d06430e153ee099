"""What every job has in common: the build it works on, and its command line when run by itself.

python -m pipelines.clean --build STORE/builds/ID [--jobs N] [--json-logs] [beam options]
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

from factmill.pipelines.build_steps import PUBLISH, Heard, steps
from factmill.pipelines.cli.arguments import LineParser, add_log_options, add_run_options, placed
from factmill.pipelines.progress.progress_lines import meter
from factmill.pipelines.progress.quiet_logs import exit_code, quiet_logs
from factmill.pipelines.runners.machines import Machines
from factmill.pipelines.runners.reachable import StoreNeeded
from factmill.pipelines.runners.start import RunOptions
from factmill.pipelines.settings import BuildSettings
from factmill.pipelines.store.lock import BUILD, Lease
from factmill.pipelines.store.publish_checks import Publishing, published_id
from factmill.schemas.errors import OptionError
from factmill.schemas.layout import BuildDir
from factmill.schemas.progress_events import progress_to
from factmill.schemas.stage_notes import read_stages
from factmill.transforms.inputs.discovery import Split, plan_splits
from factmill.transforms.tasks.notices import as_json, json_line


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
    """Run one job on an unfinished build, as `python -m pipelines.NAME` does. Exit codes are those
    of `factmill`."""
    parser = LineParser(prog=f"python -m pipelines.{name}", allow_abbrev=False)
    parser.add_argument("--build", type=placed, required=True, help="folder of an unfinished build")
    add_run_options(parser)
    add_log_options(parser)
    options, beam_arguments = parser.parse_known_args(argv)
    quiet_logs()
    run = partial(_run, job, name, options, beam_arguments)
    return exit_code(parser.prog, run, options.json_logs)


def _run(
    job: Callable[[Job], object], name: str, options: Namespace, beam_arguments: list[str]
) -> int:
    if options.build.parent.name != "builds":
        raise OptionError(f"--build {options.build}: not STORE/builds/ID")
    # Workers elsewhere have another working directory.
    build = BuildDir(options.build.absolute())
    run = RunOptions(options.jobs, tuple(beam_arguments), machines=Machines.of(options))
    run.check()
    settings = BuildSettings.load(build)
    with StoreNeeded(), Lease.take(build.store, BUILD) as lease:
        run = replace(run, publishing=Publishing(None, lease, published_id(build.store)))
        running, heard = Job(build, settings, parent_of(build), run), Heard()
        with meter() as shown, progress_to(heard):
            shown.show(name, heard.steps() if name == PUBLISH else steps(running, name))
            job(running)
            heard.finish()
    if as_json():
        json_line("info", "finished", message=f"{name} is done", exit_code=0)
    return 0
