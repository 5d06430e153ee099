"""Ask an LLM again about the segments that it failed to read, and publish the result.

    published build -> its rejects leave the log of readings
                    -> a new build that shares its pages and segments
                    -> every job after cleaning

Pages are not cleaned again. Everything but the rejects is reused: the LLM gets no other call, and
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
from factmill.schemas.errors import OptionError
from factmill.schemas.layout import Store
from factmill.schemas.manifest import OLDEST_TABLES, Manifest, read_manifest
from factmill.schemas.storage.atomic import discard
from factmill.transforms.extract.failed_segments import failed_segments, forget


@dataclass(frozen=True, slots=True)
class RetryResult:
    """The published build, and about how many segments it was asked again (0: nothing was done)."""

    manifest: Manifest
    asked: int


def retry(store: Store, options: RunOptions) -> RetryResult:
    """Raises OptionError when no LLM read the published build, BuildError when this cannot be
    finished; what was published stays then."""
    published = store.published()
    manifest = read_manifest(published, OLDEST_TABLES)
    settings = BuildSettings.load(published)
    if settings.reader != LLM:
        raise OptionError(f"{store.root}: was read by rule; only what an LLM read can be retried")
    options.llm.check(settings.reader)
    rejects = failed_segments(published, settings.shards)
    asked = sum(map(len, rejects.values()))
    if not asked:
        return RetryResult(manifest, 0)
    discard(published.work)
    # Forgotten first: were the build made first, a run killed between would ask about nothing.
    forget(published, reader_fingerprint(settings), rejects)
    job = open_job(store, settings, options, manifest)
    share_pages(published, manifest, job)
    published_now = run_jobs(job, cleaned=True)
    assert published_now is not None
    return RetryResult(published_now, asked)
