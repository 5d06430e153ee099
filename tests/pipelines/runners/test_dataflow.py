"""The job graphs of a build as they would be sent to Dataflow, checked without a cloud."""

from __future__ import annotations

import bz2
import pickletools
import re
import shutil
import sys
from base64 import b64decode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import apache_beam as beam
import pytest
from apache_beam.options.pipeline_options import (
    DebugOptions,
    GoogleCloudOptions,
    SetupOptions,
    WorkerOptions,
)
from apache_beam.portability.api import beam_runner_api_pb2 as api
from apache_beam.runners.runner import PipelineState
from apache_beam.transforms.environments import DockerEnvironment, python_sdk_dependencies
from apache_beam.transforms.resources import resource_hints_from_options

import factmill.pipelines.index
from factmill.pipelines.clean import clean
from factmill.pipelines.compose import compose
from factmill.pipelines.encode import encode
from factmill.pipelines.extract import extract
from factmill.pipelines.index import index
from factmill.pipelines.job import Job
from factmill.pipelines.learn import learn
from factmill.pipelines.llm_options import LlmOptions
from factmill.pipelines.runners.run_job import RunOptions, check_beam_arguments, run_job
from factmill.pipelines.runners.runner_options import BeamJob, RemoteWorkers
from factmill.pipelines.settings import BuildSettings
from factmill.schemas.errors import BuildError, CorruptStore, OptionError
from factmill.schemas.layout import BuildDir, Store
from factmill.transforms.inputs.discovery import find_inputs
from tests.conftest import ROOT, SAMPLES

IMAGE = "europe-docker.pkg.dev/project/images/factmill:1"
CLOUD = (
    "--runner=DataflowRunner", "--project=project-1", "--region=europe-west4",
    "--temp_location=gs://bucket/tmp", f"--sdk_container_image={IMAGE}",
    "--dry_run=True",  # nothing is asked of the cloud
)  # fmt: skip
GPU = "type:nvidia-l4;count:1;install-nvidia-driver"
WORKERS = RemoteWorkers(3, 40, "n2-standard-8", "16GB", GPU)
ACCELERATOR, RAM = "beam:resources:accelerator:v1", "beam:resources:min_ram_bytes:v1"
STEPS = ["ask", "centroids", "clean", "compose", "encode", "extract", "index", "learn"]


@dataclass
class Sent:
    """A job as its runner gets it."""

    pipeline: beam.Pipeline

    @property
    def options(self) -> Any:
        return self.pipeline._options

    @property
    def name(self) -> str:
        return str(self.options.view_as(GoogleCloudOptions).job_name)

    @property
    def graph(self) -> api.Pipeline:
        """With the workers' environment as Beam's Dataflow runner makes it."""
        environment = DockerEnvironment.from_container_image(
            self.options.view_as(WorkerOptions).sdk_container_image,
            artifacts=python_sdk_dependencies(self.options),
            resource_hints=resource_hints_from_options(self.options),
        )
        return self.pipeline.to_runner_api(default_environment=environment)


class _Done:
    """The result of a job that went well."""

    def wait_until_finish(self) -> str:
        return str(PipelineState.DONE)


@contextmanager
def jobs_sent() -> Iterator[list[Sent]]:
    """Jobs that are sent to a runner meanwhile, which says that they are done."""
    found: list[Sent] = []

    def run(pipeline: beam.Pipeline) -> _Done:
        found.append(Sent(pipeline))
        return _Done()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(beam.Pipeline, "run", run)
        yield found


@pytest.fixture(scope="module")
def jobs(sample_store: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Sent]:
    """Every job of a build, by its step. Tests must not change them."""
    root, published = tmp_path_factory.mktemp("dataflow"), Store(sample_store).published()
    build = BuildDir(root / "store" / "builds" / published.build_id)
    shutil.copytree(published.root, build.root)
    shutil.copytree(SAMPLES / "html" / "museum", root / "input")
    inputs = tuple(find_inputs([str(root / "input")]))
    settings = replace(BuildSettings.load(build), inputs=inputs)
    llm = LlmOptions(vllm="/opt/vllm/bin/vllm", accelerator=GPU)
    options = RunOptions(2, CLOUD, llm=llm, remote_workers=WORKERS)
    options.check()
    read_by_rule = Job(build, settings, None, replace(options, llm=LlmOptions()))
    read_by_llm = Job(build, replace(settings, reader="llm", llm_model="m"), None, options)
    by_rule: list[Callable[[Job], None]] = [clean, compose, learn, encode, index]
    with jobs_sent() as sent, pytest.MonkeyPatch.context() as patch:
        patch.setattr(factmill.pipelines.index, "list_count", lambda _rows: 100)
        for run in by_rule:
            run(read_by_rule)
        extract(read_by_llm)
    found = {job.name.split("-")[1]: job for job in sent}
    assert sorted(found) == STEPS
    return found


def payloads(graph: api.Pipeline) -> Iterator[tuple[str, bytes]]:
    """What is pickled of each transform, unpacked."""
    for transform in graph.components.transforms.values():
        if transform.spec.urn == "beam:transform:pardo:v1":
            do_fn = api.ParDoPayload.FromString(transform.spec.payload).do_fn
            if do_fn.payload:  # Beam's own may be referred to by name
                yield transform.unique_name, bz2.decompress(b64decode(do_fn.payload))


def hints(graph: api.Pipeline, urn: str) -> dict[str, set[str]]:
    """Values of a hint, with the names of the transforms that have it."""
    found: dict[str, set[str]] = {}
    for transform in graph.components.transforms.values():
        environment = graph.components.environments[transform.environment_id]
        if (
            transform.environment_id
            and not transform.subtransforms
            and urn in environment.resource_hints
        ):
            value = environment.resource_hints[urn].decode()
            found.setdefault(value, set()).add(transform.unique_name)
    return found


def test_each_job_has_a_name_of_its_own_that_dataflow_takes(jobs: dict[str, Sent]) -> None:
    assert len({job.name for job in jobs.values()}) == len(STEPS)
    for step, job in jobs.items():
        assert re.fullmatch(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?", job.name)
        assert job.name.startswith(f"factmill-{step}-20")
        labels = job.options.view_as(GoogleCloudOptions).labels
        assert labels == [f"factmill-job={step}"]


def test_jobs_have_the_machines_that_were_asked_for(jobs: dict[str, Sent]) -> None:
    for job in jobs.values():
        workers = job.options.view_as(WorkerOptions)
        assert (workers.num_workers, workers.max_num_workers) == (3, 40)
        assert workers.machine_type == "n2-standard-8"
        assert workers.sdk_container_image == IMAGE
        assert job.options.view_as(DebugOptions).number_of_worker_harness_threads == 1


def test_jobs_that_fill_a_machine_have_it_alone(jobs: dict[str, Sent]) -> None:
    alone = {
        step
        for step, job in jobs.items()
        if "no_use_multiple_sdk_containers" in job.options.view_as(DebugOptions).experiments
    }
    assert alone == {"ask", "learn", "encode"}


def test_gpus_are_asked_for_where_models_run_and_nowhere_else(jobs: dict[str, Sent]) -> None:
    with_gpu = {step: hints(job.graph, ACCELERATOR) for step, job in jobs.items()}
    work = {
        "ask": "Ask about segments/Ask the LLM",
        "encode": "Encode units/Encode units/Run task",
        "learn": "Learn hash head/Run task",
    }
    for step, found in with_gpu.items():
        if step in work:
            assert list(found) == [GPU]
            assert work[step] in found[GPU]
            assert not any(
                name.startswith(("Shards", "Groups", "The build")) for name in found[GPU]
            )
        else:
            assert found == {}, step


def test_encoding_uses_all_cores_where_it_has_the_machine_and_one_where_it_may_not() -> None:
    assert RunOptions(8, CLOUD).threads(4) is None
    assert RunOptions(8, ("--runner=PortableRunner",)).threads(4) == 1


def test_memory_is_asked_for_in_every_job(jobs: dict[str, Sent]) -> None:
    for job in jobs.values():
        (found,) = hints(job.graph, RAM).items()
        assert found[0] == "16000000000"
        assert any("Run task" in name or "Ask the LLM" in name for name in found[1])


def test_graphs_hold_nothing_of_the_machine_that_made_them(jobs: dict[str, Sent]) -> None:
    here = [str(ROOT), sys.prefix, sys.base_prefix, str(Path.home()) + "/"]
    for step, job in jobs.items():
        graph = job.graph
        assert not job.options.view_as(SetupOptions).save_main_session
        pickled = dict(payloads(graph))
        assert any("Run task" in name or "Ask the LLM" in name for name in pickled), step
        for name, raw in pickled.items():
            held = names_in(raw)
            assert "__main__" not in held, name
            # Functions of Beam's own say which file they are of, so that tracebacks can.
            ours = {text for text in held if "apache_beam" not in text}
            assert not [text for text in ours for path in here if path in text], f"{step}, {name}"
        for environment in graph.components.environments.values():
            assert api.DockerPayload.FromString(environment.payload).container_image == IMAGE
            assert not environment.dependencies  # nothing is staged but the graph


def names_in(pickled: bytes) -> set[str]:
    """Every string of a pickle: among them the modules it refers to."""
    return {argument for _, argument, _ in pickletools.genops(pickled) if isinstance(argument, str)}


def test_coders_are_beams_own(jobs: dict[str, Sent]) -> None:
    for job in jobs.values():
        graph = job.graph
        for coder in graph.components.coders.values():
            assert coder.spec.urn.startswith("beam:coder:"), coder
        for transform in graph.components.transforms.values():
            if transform.spec.urn == "beam:transform:group_by_key:v1":
                (pairs,) = transform.inputs.values()
                coder = graph.components.coders[graph.components.pcollections[pairs].coder_id]
                assert coder.spec.urn == "beam:coder:kv:v1"


def test_dataflows_own_runner_makes_its_jobs_of_these_graphs(jobs: dict[str, Sent]) -> None:
    """Up to what it would send: pools of workers, by a description of its own. The last test of
    these jobs: the runner changes their options."""
    pytest.importorskip("google.cloud.dataflow_v1beta3", reason="needs the extra gcp")
    from apache_beam.runners.dataflow.dataflow_runner import DataflowRunner
    from apache_beam.runners.dataflow.internal.apiclient import Environment

    for step, sent in jobs.items():
        job = DataflowRunner().run_pipeline(sent.pipeline, sent.options).job
        described = Environment(
            [], job.options, "8", "gs://bucket/pipeline.pb", proto_pipeline=job.proto_pipeline
        ).proto
        (pool,) = described.worker_pools
        assert job.proto.name == sent.name
        assert dict(job.proto.labels) == {"factmill-job": step}
        assert (pool.num_workers, pool.machine_type) == (3, "n2-standard-8")
        assert pool.autoscaling_settings.max_num_workers == 40
        assert pool.num_threads_per_worker == 1
        images = {image.container_image for image in pool.sdk_harness_container_images}
        assert images | {pool.worker_harness_container_image} - {""} == {IMAGE}
        alone = "no_use_multiple_sdk_containers" in described.experiments
        assert alone == ("use_multiple_sdk_containers" not in described.experiments)


def test_names_given_by_the_user_come_first_and_stay_short() -> None:
    step = BeamJob(BuildDir(Path("/s/builds/20240101T000000000Z-0123abcd")), "encode")
    assert step.job_name("night_ly") == "night-ly-encode-20240101t000000000z-0123abcd"
    long = step.job_name("n" * 80)
    assert len(long) == 63
    assert long.endswith("n-encode-20240101t000000000z-0123abcd")


@pytest.mark.parametrize(
    "option", ["--no_auth", "--worker_machine_type=n", "--label=a=b", "--resource_hint=min_ram=1GB"]
)
def test_every_spelling_of_beam_is_known(option: str) -> None:
    check_beam_arguments([option])


def test_options_of_the_user_win() -> None:
    build = BuildDir(Path("/s/builds/1"))
    beams = (*CLOUD, "--number_of_worker_harness_threads=4", "--job_name=nightly", "--labels=a=b")
    with jobs_sent() as sent:
        run_job(lambda _: None, RunOptions(1, beams), BeamJob(build, "clean"), 1)

    assert sent[-1].name == "nightly-clean-1"
    assert sent[-1].options.view_as(DebugOptions).number_of_worker_harness_threads == 4
    labels = sent[-1].options.view_as(GoogleCloudOptions).labels
    assert labels == ["a=b", "factmill-job=clean"]


@pytest.mark.parametrize(
    ("beams", "workers", "said"),
    [
        ((), RemoteWorkers(number=2), "--workers: is for workers of another runner"),
        ((), RemoteWorkers(encode_accelerator=GPU), "--encode-accelerator: is for"),
        (("--runner=PortableRunner",), RemoteWorkers(machine_type="n"), "--machine-type: only"),
        (CLOUD, RemoteWorkers(min_ram="much"), "--min-ram much: not a size"),
        ((*CLOUD[:4], CLOUD[5]), RemoteWorkers(), "needs --sdk_container_image"),
        ((*CLOUD[:1], *CLOUD[2:]), RemoteWorkers(), "project"),
        ((*CLOUD, "--job_name=Night"), RemoteWorkers(), "Invalid job_name"),
        (("--runner=NoSuchRunner",), RemoteWorkers(), "NoSuchRunner"),
        ((*CLOUD, "--tmp_location=gs://b/t"), RemoteWorkers(), "--tmp_location: no such option"),
    ],
)  # fmt: skip
def test_what_cannot_run_is_said_before_anything_does(
    beams: tuple[str, ...], workers: RemoteWorkers, said: str
) -> None:
    with pytest.raises(OptionError, match=re.escape(said)):
        RunOptions(1, beams, remote_workers=workers).check()


class _Failed:
    """A job that its runner reports as failed."""

    def __init__(self, said: str) -> None:
        self._said = said

    def wait_until_finish(self) -> None:
        raise RuntimeError(self._said)


WORKER_TRACEBACK = """Dataflow pipeline failed. State: FAILED, Error:
Traceback (most recent call last):
  File "apache_beam/runners/common.py", line 1, in process
{error} [while running 'Encode units/Run task-ptransform-33']
"""


@pytest.mark.parametrize(
    ("error", "kind", "line"),
    [
        ("factmill.schemas.errors.CorruptStore: f: is cut short", CorruptStore, "f: is cut short"),
        ("factmill.schemas.errors.BuildError: no unit", BuildError, "no unit"),
        ("factmill.schemas.errors.write_text: no error", BuildError, "no error"),
        ("KeyError: 'x'", BuildError, "the job encode failed: KeyError: 'x'"),
    ],
)
def test_failed_job_is_one_line(
    error: str, kind: type[Exception], line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = WORKER_TRACEBACK.format(error=error)
    monkeypatch.setattr(beam.Pipeline, "run", lambda _: _Failed(said))
    build = BuildDir(tmp_path / "builds" / "1")
    with pytest.raises(kind) as raised:
        run_job(lambda _: None, RunOptions(1, CLOUD), BeamJob(build, "encode"), 1)
    assert str(raised.value).startswith(line)
    assert "\n" not in str(raised.value)
    if "KeyError" in error:
        assert "Traceback" in (build.work / "failed" / "encode.txt").read_text()


def test_interrupt_cancels_the_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted:
        cancelled = False

        def wait_until_finish(self) -> None:
            raise KeyboardInterrupt

        def cancel(self) -> None:
            self.cancelled = True

    result = Interrupted()
    monkeypatch.setattr(beam.Pipeline, "run", lambda _: result)
    with pytest.raises(KeyboardInterrupt):
        run_job(lambda _: None, RunOptions(1, CLOUD), BeamJob(BuildDir(tmp_path / "1"), "clean"), 1)
    assert result.cancelled
