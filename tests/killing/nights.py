"""Nights of a small store, undisturbed or killed at a moment and resumed.

After a kill, this must hold: the published index verifies and answers as before, the next run
resumes the same build, and its result equals that of an undisturbed night.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import shutil
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from factmill.runtime.opening import open_index
from factmill.runtime.verify.verify_published import verify
from factmill.schemas.layout import BuildDir, Store
from factmill.schemas.manifest import read_manifest
from factmill.transforms.inputs.discovery import find_inputs, plan_splits
from tests.conftest import SAMPLES
from tests.killing.dying import GROUP, MAIN, Death, KilledStore, group, run
from tests.killing.stages import BEGIN
from tests.models.encoding.tiny_encoder import tiny_encoder

SHARDS = 2
# The first build of a store; one after pages changed; one with the same pages in newer files; and
# one with nothing new.
FIRST, CHANGED, SAME, NOTHING = "first", "changed", "same", "nothing"
NIGHTS = (FIRST, CHANGED, SAME, NOTHING)
_QUESTIONS = ("When was the Centenary Bridge opened?", "museum luggage", "Who built the ferry?")
_WORDS = "museum bridge ferry built designed opened in by the was is has of and luggage".split()
# Orphaned processes notice that their parent is gone, and end.
_SECONDS_FOR_ORPHANS = 60
# Imported once for all processes; each of them is a fork of one that did nothing else. This module
# is the first: tests/conftest.py lets nobody look for garbage meanwhile.
_IMPORTED = [
    __name__,
    "factmill.pipelines.cli.build_commands",
    "factmill.models.codes.code_kernels",
    "factmill.models.codes.hash_selection",
    "factmill.models.encoding.export_encoder",
    "factmill.runtime.index",
    "sentence_transformers",
    "tests.quick_beam",
]


class Wrong(AssertionError):
    """A kill had an effect that it must not have."""


@dataclass(frozen=True)
class Stage:
    """The work of an undisturbed night in a stage: changes of files, and seconds."""

    name: str
    changes: int
    seconds: float


@dataclass
class Night:
    """A night: its store before, and the result of an undisturbed run."""

    name: str
    template: Path
    arguments: list[str]
    splits: int
    before: str | None
    answers_before: list[Any]
    # From the undisturbed run.
    stages: list[Stage] = field(default_factory=list)
    after: dict[str, str] = field(default_factory=dict)
    counts: dict[str, Any] = field(default_factory=dict)
    answers: list[Any] = field(default_factory=list)

    def command(self, root: Path) -> list[str]:
        return ["build", str(root), *self.arguments]

    def killed_store(self, root: Path) -> KilledStore:
        return KilledStore(root, self.before, self.splits, SHARDS)

    def copy(self, root: Path) -> Store:
        """A copy of the store before the night."""
        shutil.rmtree(root, ignore_errors=True)
        if self.template.is_dir():
            shutil.copytree(self.template, root)
        return Store(root)


def prepare(folder: Path, names: tuple[str, ...] = NIGHTS) -> list[Night]:
    """All nights, each run once undisturbed."""
    pages = folder / "pages"
    _write_pages(pages)
    arguments = [
        "--encoder", tiny_encoder(folder, _WORDS), "--code-bits", "64", "--shards", str(SHARDS),
        "--jobs", "2",
    ]  # fmt: skip
    template = folder / "template"
    first = _night(FIRST, folder / "none", [*arguments, "--input", str(pages)], pages)
    _undisturbed(first, template)
    changed, same = folder / "changed", folder / "same"
    shutil.copytree(pages, changed)
    _change(changed)
    shutil.copytree(pages, same, copy_function=shutil.copyfile)
    nights = [first]
    for name, inputs in ((CHANGED, changed), (SAME, same), (NOTHING, pages)):
        if name in names:
            night = _night(name, template, [*arguments, "--input", str(inputs)], inputs)
            _undisturbed(night, folder / f"undisturbed-{name}")
            nights.append(night)
    return [night for night in nights if night.name in names]


def _write_pages(pages: Path) -> None:
    shutil.copytree(SAMPLES / "html" / "museum", pages)
    for path in sorted((SAMPLES / "html" / "town").iterdir()):
        shutil.copyfile(path, pages / path.name)
    # Another split.
    shutil.copyfile(SAMPLES / "pages.jsonl", pages / "pages.jsonl")


def _change(pages: Path) -> None:
    """Remove one page, add one, and edit one."""
    (pages / "visitor-faq.html").unlink()
    (pages / "new.html").write_text(
        "<title>Marrow Lodge</title><p>Marrow Lodge was built in 1921. It was designed by Agnes"
        " Teague. It has 12 rooms and a garden that opens in May.</p>"
    )
    edited = pages / "bridges.html"
    edited.write_text(
        edited.read_text().replace("</body>", "<p>It was painted in 2011.</p></body>")
    )


def _night(name: str, template: Path, arguments: list[str], inputs: Path) -> Night:
    splits = len(plan_splits(find_inputs([str(inputs)])))
    before = Store(template).published().build_id if template.is_dir() else None
    return Night(name, template, arguments, splits, before, answers(template) if before else [])


def _undisturbed(night: Night, root: Path) -> None:
    store = night.copy(root)
    note = root.parent / f"{night.name}.trace"
    status = start(night, root, note).wait()
    if status:
        raise Wrong(f"undisturbed: {status}: {note.with_suffix('.log').read_text()[-2000:]}")
    night.stages = [
        Stage(name, int(changes), float(seconds))
        for name, changes, seconds in map(str.split, note.read_text().splitlines())
    ]
    night.after, night.answers = contents(store.published()), answers(root)
    night.counts = _counts(store.published())


@dataclass(frozen=True)
class Started:
    """A running command in its own process group."""

    process: Any

    def wait(self) -> int:
        """Wait for the end; returns the exit code, or minus the signal that ended it."""
        self.process.join()
        return int(self.process.exitcode)

    def orphans(self) -> list[int]:
        return group(self.process.pid)


def start(
    night: Night, root: Path, note: Path, death: Death | None = None, fresh: bool = False
) -> Started:
    """Start `factmill build` in a process; a `fresh` one imports everything again."""
    context = multiprocessing.get_context("spawn" if fresh else "forkserver")
    if not fresh:
        context.set_forkserver_preload(_IMPORTED)
    arguments = (night.command(root), night.killed_store(root), note, death)
    process = context.Process(target=run, args=arguments)
    process.start()
    return Started(process)


def survive(night: Night, root: Path, deaths: list[Death]) -> list[str]:
    """Kill a night by each death in turn, resume it, and check everything. Returns the stages in
    which it was killed, "" if it had ended before. Raises Wrong.
    """
    store = night.copy(root)
    reached, runs, begun = [], [], None
    for number, death in enumerate(deaths):
        note = root.parent / f"{root.name}-{number}.note"
        for old in (note, note.with_suffix(".log")):
            old.unlink(missing_ok=True)
        runs.append(start(night, root, note, death, fresh=not death.stage and not death.workers))
        status = runs[-1].wait()
        killed = note.is_file()
        reached.append(note.read_text() if killed else "")
        if status != -9 if killed and death.victim in (GROUP, MAIN) else status not in (0, killed):
            raise Wrong(f"exit code {status}: {note.with_suffix('.log').read_text()[-2000:]}")
        check_published(night, store)
        begun = begun or unfinished(night, store)
    finish(night, store, begun)
    for started in runs:
        wait_for_orphans(started)
    return reached


def unfinished(night: Night, store: Store) -> str | None:
    """The build that a killed run began, if the next run can resume it."""
    if night.killed_store(store.root).stage == BEGIN:
        return None
    builds = [build for build in store.builds() if build.build_id != night.before]
    return builds[-1].build_id if builds and builds[-1].stages.is_file() else None


def check_published(night: Night, store: Store) -> None:
    """The published build must be complete, and answer as before, or as the new one."""
    if not store.current.is_file():
        if night.before:
            raise Wrong("no build is published any more")
        return
    name, faults = verify(store)
    if faults:
        raise Wrong(f"{name}: {faults[:3]}")
    expected = night.answers_before if name == night.before else night.answers
    if answers(store.root) != expected:
        raise Wrong(f"{name} answers otherwise")


def finish(night: Night, store: Store, begun: str | None) -> None:
    """Resume the night to its end; the result must equal the undisturbed one."""
    note = store.root.parent / f"{store.root.name}.trace"
    started = start(night, store.root, note)
    status = started.wait()
    if status:
        raise Wrong(f"resumed: {status}: {note.with_suffix('.log').read_text()[-2000:]}")
    check_published(night, store)
    published = store.published()
    new = night.name in (FIRST, CHANGED)
    if new and begun not in (None, published.build_id):
        raise Wrong(f"{begun} was begun, {published.build_id} is published")
    expected = {name for name in (night.before, published.build_id) if name}
    found = {build.build_id for build in store.builds()}
    if found != expected or (new and published.build_id == night.before):
        raise Wrong(f"builds {sorted(found)}, not {sorted(expected)}")
    _same(night.after, contents(published))
    if _counts(published) != night.counts:
        raise Wrong(f"counts {_counts(published)}, not {night.counts}")
    # Small files beside CURRENT may stay: another process may be writing them. gc removes them.
    left = [path.name for path in store.root.rglob(".*") if not path.name.startswith(".CURRENT.")]
    if left:
        raise Wrong(f"left behind: {left[:5]}")


def wait_for_orphans(started: Started) -> None:
    """Wait until no process of the group is running."""
    deadline = time.monotonic() + _SECONDS_FOR_ORPHANS
    while started.orphans():
        if time.monotonic() > deadline:
            raise Wrong(f"still running: {started.orphans()}")
        time.sleep(0.1)


def contents(build: BuildDir) -> dict[str, str]:
    """The digest of each file with rows, models or index."""
    return {
        path.relative_to(build.root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(build.root.rglob("*"))
        if path.is_file() and path != build.manifest and "70_report" not in path.parts
    }


def _counts(build: BuildDir) -> dict[str, Any]:
    manifest = read_manifest(build)
    found = {stage: counts.as_json() for stage, counts in manifest.counts.items()}
    rows = {table: entry.rows for table, entry in manifest.tables.items()}
    return json.loads(json.dumps({"counts": found, "rows": rows}))  # type: ignore[no-any-return]


def answers(root: Path) -> list[Any]:
    """The segments and scores that a search finds for each question."""
    index = open_index(root)
    return [
        [(hit.segment_id, hit.url, hit.score) for hit in index.search(question, k=5)]
        for question in _QUESTIONS
    ]


def _same(expected: dict[str, str], found: dict[str, str]) -> None:
    names = sorted(expected.keys() | found.keys())
    differ = [name for name in names if expected.get(name) != found.get(name)]
    if differ:
        raise Wrong(f"other than undisturbed: {differ[:5]}")
