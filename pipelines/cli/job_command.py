"""The command line of a single job.

python -m factmill.pipelines.clean --build STORE/builds/ID [--jobs N] [--json-logs] [beam options]
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from factmill.pipelines.cli.argument_types import storage_path
from factmill.pipelines.cli.exit_codes import OutputFormat, exit_code
from factmill.pipelines.cli.job_order import check_job_order
from factmill.pipelines.cli.line_parser import LineParser
from factmill.pipelines.cli.llm_arguments import add_llm_options
from factmill.pipelines.cli.run_arguments import add_log_options, add_run_options
from factmill.pipelines.job import Job, begun_before, parent_of
from factmill.pipelines.llm_options import LlmOptions
from factmill.pipelines.progress.display import progress_display
from factmill.pipelines.progress.quiet_logs import quiet_logs
from factmill.pipelines.run_stage import StageRunner
from factmill.pipelines.runners.run_job import RunOptions
from factmill.pipelines.runners.runner_options import RemoteWorkers
from factmill.pipelines.runners.worker_errors import ClearErrors
from factmill.pipelines.settings import BuildSettings
from factmill.pipelines.store.lock import BUILD, Lease
from factmill.pipelines.store.page_check import PageCheck
from factmill.pipelines.store.publish_checks import Publishing, published_id
from factmill.pipelines.working_folder import enter_working_folder
from factmill.schemas.errors import OptionError
from factmill.schemas.layout import BuildDir
from factmill.schemas.storage.paths import StoragePath
from factmill.transforms.tasks import fork_server
from factmill.transforms.tasks.notices import json_line, logs_as_json

# The job that reads the input, and the one that calls an LLM, if its reader is one.
_READS_INPUT, _CALLS_LLM = "clean", "extract"


def main(work: Callable[[Job], object], name: str, argv: Sequence[str] | None = None) -> int:
    """Run one job on an unfinished build. Exit codes are those of `factmill`."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    if argv is None:
        fork_server.allow()
    program = f"python -m factmill.pipelines.{name}"
    run = partial(_run, work, name, _parser(name, program), arguments)
    return exit_code(program, run, OutputFormat.of(arguments), resumes=True)


def _parser(name: str, program: str) -> LineParser:
    parser = LineParser(prog=program)
    parser.add_argument(
        "--build", type=storage_path, required=True, help="folder of an unfinished build"
    )
    if name == _CALLS_LLM:
        add_llm_options(parser)
    add_run_options(parser)
    add_log_options(parser)
    return parser


def _run(
    work: Callable[[Job], object], name: str, parser: LineParser, arguments: Sequence[str]
) -> int:
    options, beam_arguments = parser.parse_known_args(arguments)
    quiet_logs()
    fork_server.start()
    # Remote workers have another working directory.
    build = _unfinished(options.build.absolute())
    remote_workers = RemoteWorkers.of(options)
    llm = LlmOptions.of(options) if name == _CALLS_LLM else LlmOptions()
    run_options = RunOptions(
        options.jobs, tuple(beam_arguments), llm, remote_workers=remote_workers
    )
    run_options.check()
    settings = BuildSettings.load(build)
    if name == _READS_INPUT:
        enter_working_folder(build, settings)
    with ClearErrors(build.store), Lease.take(build.store, BUILD) as lease:
        published = published_id(build.store)
        if published == build.build_id:
            raise OptionError(f"--build {build.root}: this build is published, and stays as it is")
        publishing = Publishing(pages=PageCheck(), lease=lease, replaces=published)
        job = Job(
            build,
            settings,
            parent_of(build),
            replace(run_options, publishing=publishing),
            begun_before(build),
        )
        check_job_order(job, name)
        with progress_display() as display:
            StageRunner(job, display).run(name, work)
    if logs_as_json():
        json_line("info", "finished", message=f"{name} is done", exit_code=0)
    return 0


def _unfinished(folder: StoragePath) -> BuildDir:
    """The build in this folder, which has a working folder until it is published. Raises
    OptionError.
    """
    if folder.parent.name != "builds":
        raise OptionError(f"--build {folder}: not STORE/builds/ID")
    build = BuildDir(folder)
    if not build.work.is_dir():
        raise OptionError(f"--build {folder}: there is no unfinished build")
    return build
