"""`factmill build` on Beam's Dask runner: a scheduler, and workers that have factmill from its
source distribution. The build needs `dask[distributed]`, which nothing else here does."""

from __future__ import annotations

from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest

from factmill.pipelines.runners.runner_options import (
    DASK,
    BeamJob,
    RemoteWorkers,
    check_beam_arguments,
    remote_arguments,
)
from factmill.runtime.verify.verify_build import verify_build
from factmill.schemas.errors import OptionError
from factmill.schemas.layout import BuildDir, Store
from factmill.schemas.manifest import read_manifest
from tests.conftest import ROOT, SHARDS, Museum
from tests.nightly import all_rows
from tests.pipelines.runners.test_portable import factmill_build, found
from tests.pipelines.test_build import identities
from tests.portable.cluster import environment, source_distribution
from tests.portable.dask_cluster import WORKERS, dask_cluster


def _arguments(*beam: str) -> list[str]:
    given = [f"--runner={DASK}", *beam]
    job = BeamJob(BuildDir(Path("builds/1")), "encode")
    return remote_arguments(given, RemoteWorkers(), job)


def test_each_task_is_a_task_of_dask_unless_partitions_are_chosen() -> None:
    size = "--dask_partition_size=1"
    assert size in _arguments()
    assert size not in _arguments("--dask_npartitions=4")
    assert _arguments("--dask_partition_size=8").count(size) == 0


_FAR_RUNNER = """
from apache_beam.options.pipeline_options import PipelineOptions

class FarOptions(PipelineOptions):
    @classmethod
    def _add_argparse_args(cls, parser):
        parser.add_argument("--far_address")
"""


def test_options_of_a_runner_that_is_named_by_its_path_are_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "far_runner.py").write_text(_FAR_RUNNER)
    monkeypatch.syspath_prepend(tmp_path)
    check_beam_arguments(["--runner=far_runner.FarRunner", "--far_address=tcp://10.0.0.1:8786"])
    with pytest.raises(OptionError, match=r"^--near_address: no such option"):
        check_beam_arguments(["--runner=far_runner.FarRunner", "--near_address=here"])


@pytest.mark.parametrize("runner", ["no_such_package.Runner", ".Runner"])
def test_runner_that_cannot_be_loaded_is_a_clear_error(runner: str) -> None:
    with pytest.raises(OptionError, match=f"^--runner={runner}: "):
        check_beam_arguments([f"--runner={runner}"])


@pytest.mark.several_machines
@pytest.mark.skipif(find_spec("distributed") is None, reason="needs dask[distributed]")
@pytest.mark.timeout(500)
def test_build_on_two_dask_workers_is_the_local_build(
    tmp_path: Path, built_museum: Museum, small_encoder: str
) -> None:
    python = environment(tmp_path / "venv", source_distribution(tmp_path))
    store, local = tmp_path / "store", built_museum.store
    with dask_cluster(tmp_path / "cluster", python) as workers:
        code, said = factmill_build(store, built_museum.pages, small_encoder, workers.options)
        notes = workers.notes()

    assert code == 0, said
    ours, expected = Store(store).published(), local.published()
    assert verify_build(ours, read_manifest(ours)) == []
    assert identities(ours) == identities(expected)
    assert all_rows(ours, SHARDS) == all_rows(expected, SHARDS)
    assert found(store) == found(local.root)
    made = {
        process: Counter(
            Path(line["made"]).relative_to(ours.root.resolve()).parts[0] for line in lines
        )
        for process, lines in notes.items()
    }
    assert not [line for lines in notes.values() for line in lines if str(ROOT) in line["path"]]
    assert len(made) == WORKERS
    for table in ("10_pages", "11_segments", "20_propositions", "40_vectors", "50_index"):
        assert sum(counts[table] for counts in made.values()) > 0, table
