"""The context of every job: its build, its settings, its parent, and how to run."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from factmill.pipelines.runners.run_job import RunOptions
from factmill.pipelines.settings import BuildSettings
from factmill.schemas.layout import BuildDir
from factmill.schemas.manifest import FileEntry
from factmill.schemas.stage_notes import read_stages
from factmill.transforms.inputs.discovery import Split, plan_splits
from factmill.transforms.learn.learn_link_scorer import has_learned_links


@dataclass(frozen=True)
class Job:
    """One run of a job. `parent` is the published build, from which the new one reuses data;
    `hashed` has the build's files whose checksums this run computed, by name. Finished files do not
    change, so verification compares them with these checksums. `begun` is another build, newer than
    the parent, that was never published: a run that was killed, or refused.
    """

    build: BuildDir
    settings: BuildSettings
    parent: BuildDir | None
    options: RunOptions
    begun: BuildDir | None = None
    hashed: dict[str, FileEntry] = field(default_factory=dict, compare=False, repr=False)

    def parent_for(self, stage: str) -> BuildDir | None:
        """The parent, if it ran this stage with the same code and settings."""
        return self._same(stage, self.parent)

    def begun_for(self, stage: str) -> BuildDir | None:
        """The build that was begun, if it ran this stage with the same code and settings."""
        return self._same(stage, self.begun)

    @property
    def needs_link_scorer(self) -> bool:
        """Whether the job learn_links has work: questions are given, or the parent trained a
        scorer.
        """
        return self.settings.train_links is not None or has_learned_links(self.parent)

    def _same(self, stage: str, other: BuildDir | None) -> BuildDir | None:
        if other is None:
            return None
        ours, theirs = read_stages(self.build)[0], read_stages(other)[0]
        return other if stage in ours and ours[stage] == theirs.get(stage) else None

    @cached_property
    def splits(self) -> list[Split]:
        """The inputs, divided into tasks. Computed once, because it opens every file."""
        return plan_splits(self.settings.inputs)


def begun_before(build: BuildDir) -> BuildDir | None:
    """The newest other build of the same store that is newer than the published one and was never
    published itself.
    """
    published = parent_of(build)
    for other in reversed(build.store.builds()):
        if other == published:
            return None
        if other != build and other.work.is_dir():
            return other
    return None


def parent_of(build: BuildDir) -> BuildDir | None:
    """The published build of the same store, unless it is this build."""
    store = build.store
    if not store.current.is_file():
        return None
    published = store.published()
    return None if published == build else published
