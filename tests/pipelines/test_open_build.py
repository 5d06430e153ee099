"""Which nights find nothing new: what only trains, left out, is inherited."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from factmill.pipelines.build import build
from factmill.pipelines.job import Job, begun_before
from factmill.pipelines.open_build import is_current, nothing_new, nothing_to_do
from factmill.pipelines.plan import plan
from factmill.pipelines.runners.run_job import RunOptions
from factmill.pipelines.settings import BuildSettings
from factmill.schemas.layout import BuildDir
from factmill.schemas.manifest import Manifest, StageCounts, read_manifest
from factmill.transforms.encode.reused_vectors import ENCODE_STAGE
from factmill.transforms.inputs.discovery import InputFile, input_file
from factmill.transforms.tasks.task_results import TaskResults
from tests.conftest import SHARDS, Museum, build_store

YEARS = (2001, 2098, 2099)
TRAINING = ("train_questions", "train_encoder", "train_extractor", "train_rewriter", "train_links")


@pytest.fixture
def examples(tmp_path: Path) -> InputFile:
    path = tmp_path / "examples.jsonl"
    path.write_text(json.dumps({"question": "Who?"}))
    return input_file(path)


def _published_with(museum: Museum, **training: Any) -> tuple[BuildDir, BuildSettings, Manifest]:
    """The published build as if it had been trained like this, its settings without that, and its
    manifest."""
    published = museum.store.published()
    plain = BuildSettings.load(published)
    trained = replace(plain, **training)
    trained.save(published)
    shutil.rmtree(published.work)
    manifest = read_manifest(published)
    manifest = replace(
        manifest, fingerprints=manifest.fingerprints | {"settings": trained.fingerprint}
    )
    manifest.write(published)
    return published, plain, manifest


def test_night_that_leaves_out_what_only_trains_has_nothing_to_build(
    museum: Museum, examples: InputFile
) -> None:
    given = {name: name == "train_encoder" or examples for name in TRAINING}
    published, plain, _ = _published_with(museum, **given)
    Path(examples.path).unlink()  # what was learned from it stays

    found = build(museum.store, plain, RunOptions(1), full=False)

    assert not found.new
    assert museum.store.builds() == [published]
    assert plan(museum.store, plain, RunOptions(1)).current
    assert nothing_to_do(museum.store, plain) == read_manifest(published)
    assert nothing_to_do(museum.store, replace(plain, code_bits=64)) is None


@pytest.mark.parametrize("name", TRAINING)
def test_night_that_trains_something_else_is_another_build(
    museum: Museum, examples: InputFile, name: str
) -> None:
    before = {"train_links": examples} if name != "train_links" else {}
    _, plain, manifest = _published_with(museum, **before)
    value: Any = True if name == "train_encoder" else examples
    assert is_current(museum.store, manifest, plain)
    assert not is_current(museum.store, manifest, replace(plain, **{name: value}))
    other = replace(plain, train_links=replace(examples, size=1))
    assert not is_current(museum.store, manifest, other)
    assert not is_current(museum.store, manifest, replace(plain, code_bits=64))


def test_night_of_the_same_pages_in_files_written_again_has_nothing_to_build(
    museum: Museum, examples: InputFile
) -> None:
    published, plain, manifest = _published_with(museum, train_links=examples)
    again = museum.store.build("20991231T000000Z-00000000")
    shutil.copytree(published.root, again.root)
    inputs = tuple(replace(file, modified_ns=0) for file in plain.inputs)
    written_again = replace(plain, inputs=inputs)
    job = Job(again, written_again, published, RunOptions(1))

    assert not is_current(museum.store, manifest, written_again)
    assert nothing_new(job)
    assert not nothing_new(replace(job, settings=replace(plain, train_rewriter=examples)))


def test_night_with_a_link_to_nothing_reads_again_only_what_may_be_readable(
    museum: Museum,
) -> None:
    inputs = BuildSettings.load(museum.store.published()).inputs
    absent = replace(inputs[0], path="/crawl/gone.html", size=-1, modified_ns=-1)
    _, settings, manifest = _published_with(museum, inputs=(*inputs, absent))
    settings = replace(settings, inputs=(*inputs, absent))
    for broken, current in ((1, True), (2, False)):
        counts = StageCounts(8, 8 - broken, {"broken_file": broken}, {})
        found = replace(manifest, counts=manifest.counts | {"clean": counts})
        assert is_current(museum.store, found, settings) == current


def test_store_whose_settings_are_damaged_is_not_current(museum: Museum) -> None:
    published, plain, manifest = _published_with(museum)
    assert is_current(museum.store, manifest, plain)
    published.settings.write_text("{}")
    assert not is_current(museum.store, manifest, plain)


def test_night_takes_vectors_of_a_run_that_was_killed_over_other_pages(museum: Museum) -> None:
    begun = museum.store.published()
    museum.store.current.unlink()
    begun.manifest.unlink()
    for shard in range(SHARDS):
        TaskResults.of(begun, ENCODE_STAGE).finish(shard, StageCounts())
    for page in museum.pages.rglob("*.html"):
        page.write_text(page.read_text().replace("the ", "the old ", 9))

    found = build_store(museum.store.root, [str(museum.pages)], encoder=_encoder(begun))

    encoded = found.manifest.counts["encode"]
    assert 0 < encoded.produced["reused"] < encoded.records_in
    assert museum.store.published() != begun


def test_builds_before_the_published_one_are_not_begun(museum: Museum) -> None:
    published = museum.store.published()
    old, new, own = (museum.store.build(f"{year}1231T000000000Z-00000000") for year in YEARS)
    for build_dir in (old, new, own):
        build_dir.work.mkdir(parents=True)

    assert begun_before(own) == new
    shutil.rmtree(new.work)
    assert begun_before(own) is None
    assert old.build_id < published.build_id < new.build_id


def _encoder(made: BuildDir) -> str:
    return BuildSettings.load(made).encoder
