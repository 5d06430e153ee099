"""Ask an LLM again about the segments that it failed to read, and publish the result.

    published build -> its rejects are removed from the reading log
                    -> a new build that shares its pages and segments
                    -> every job after cleaning

Pages are not cleaned again. Everything but the rejects is reused: the LLM gets no other calls, and
only new units are encoded.
"""

from __future__ import annotations

from dataclasses import dataclass

from factmill.pipelines.build import run_jobs
from factmill.pipelines.extract import reader_fingerprint
from factmill.pipelines.llm_options import LLM
from factmill.pipelines.open_build import open_job
from factmill.pipelines.runners.run_job import RunOptions
from factmill.pipelines.settings import BuildSettings
from factmill.pipelines.shared_pages import share_pages
from factmill.pipelines.stage_fingerprints import stage_fingerprints
from factmill.schemas.errors import OptionError
from factmill.schemas.layout import BuildDir, Store
from factmill.schemas.manifest import OLDEST_TABLES, Manifest, read_manifest
from factmill.schemas.stage_notes import read_stages
from factmill.schemas.storage.atomic import discard
from factmill.transforms.extract.failed_segments import failed_segments, forget


@dataclass(frozen=True, slots=True)
class RetryResult:
    """The published build, and for how many segments the LLM was asked again (0: no new build)."""

    manifest: Manifest
    asked: int


def retry(store: Store, options: RunOptions) -> RetryResult:
    """Retry, and publish the result. Raises OptionError if no LLM read the published build, or
    if other code made its segments, and BuildError if the retry cannot finish; the published build
    then stays.
    """
    published = store.published()
    manifest = read_manifest(published, OLDEST_TABLES)
    settings = BuildSettings.load(published).without_changed_examples()
    if settings.reader != LLM:
        raise OptionError(f"{store.root}: no LLM read this build, so there is nothing to ask again")
    options.llm.check(settings.reader, here=options.local)
    rejects = failed_segments(published, settings.shards)
    asked = sum(map(len, rejects.values()))
    if not asked:
        return RetryResult(manifest, 0)
    _check_pages_are_current(published, settings)
    discard(published.work)
    # Forget the rejects first: otherwise a run killed in between would leave nothing to ask.
    forget(published, reader_fingerprint(settings), rejects)
    job = open_job(store, settings, options, manifest)
    share_pages(published, manifest, job)
    published_now = run_jobs(job, cleaned=True)
    assert published_now is not None
    return RetryResult(published_now, asked)


def _check_pages_are_current(published: BuildDir, settings: BuildSettings) -> None:
    """Raises OptionError when cutting its pages again would give other segments: the new build
    shares the tables, and notes the code of today.
    """
    made_by = read_stages(published)[0].get("segments")
    if made_by != stage_fingerprints(settings)["segments"]:
        raise OptionError(
            f"{published.store.root}: another version made the segments of this build; run build"
            " first"
        )
