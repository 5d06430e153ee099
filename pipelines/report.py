"""The run report of a build, `70_report/report.html`: what a person wants to see in the morning.

Gathers numbers and samples from a build whose manifest is nearly complete, and from the build
before it; transforms/report/report_page.py renders the page.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import duckdb

from factmill.models.links.build_scorer import link_scorer_card
from factmill.schemas.errors import BuildError, OptionError, StoreError
from factmill.schemas.layout import BuildDir
from factmill.schemas.manifest import OLDEST_TABLES, Manifest, read_manifest
from factmill.schemas.storage.atomic import shared_names, write_text
from factmill.schemas.storage.paths import StoragePath, scratch_folder
from factmill.transforms.clean.input_sources import load_sources
from factmill.transforms.learn.learn_head import REPORT as HEAD_REPORT
from factmill.transforms.report.build_figures import BuildFigures, build_figures
from factmill.transforms.report.build_views import BuildViews
from factmill.transforms.report.comparison import (
    Comparison,
    OpenBuild,
    SiteFigure,
    compare,
    site_figures,
)
from factmill.transforms.report.input_changes import input_changes
from factmill.transforms.report.report_page import RunReport, report_page
from factmill.transforms.report.report_sample import code_balance, shown_units
from factmill.transforms.report.verdict import PublishVerdict
from factmill.transforms.tasks.notices import warn
from factmill.transforms.tasks.scratch_database import scratch_database

REPORT = "70_report"


def report_file(build: BuildDir) -> StoragePath:
    return build.root / REPORT / "report.html"


def write_report(
    build: BuildDir,
    manifest: Manifest,
    parent: BuildDir | None,
    verdict: PublishVerdict,
    quality: Mapping[str, Any] | None,
) -> StoragePath:
    """Write the report into the build; `quality` is the result of the quality check, if it ran.
    Raises BuildError when the build's own data cannot be read. An unreadable earlier build is left
    out.
    """
    path = report_file(build)
    before = build_before(build, parent, verdict)
    comparison, sites = beside(before, OpenBuild(build, manifest))
    sources = load_sources(before.build) if before else None
    report = RunReport(
        manifest,
        verdict,
        _figures(build, manifest),
        comparison,
        sites,
        input_changes(sources, load_sources(build)),
        shared_bytes(build, manifest, parent),
        code_balance(build, manifest.shards),
        _head(build),
        quality,
        shown_units(build, manifest),
        link_scorer_card(build),
    )
    write_text(path, report_page(report))
    return path


def build_before(
    build: BuildDir, parent: BuildDir | None, verdict: PublishVerdict
) -> OpenBuild | None:
    """The parent; for a build from scratch, the published build."""
    try:
        if parent is None and verdict.served is not None:
            parent = build.store.build(verdict.served)
        return OpenBuild(parent, read_manifest(parent, OLDEST_TABLES)) if parent else None
    except StoreError:
        return None


def beside(
    before: OpenBuild | None, after: OpenBuild
) -> tuple[Comparison | None, list[SiteFigure]]:
    """Changes and sites compared with the build before; empty when that build cannot be read."""
    if before is not None:
        try:
            with scratch_folder(after.build.work) as scratch:
                return compare(scratch, before, after), site_figures(scratch, before, after)
        except (duckdb.Error, OSError, OptionError, StoreError) as error:
            told = " ".join(str(error).split())
            warn("publish", f"no comparison with {before.build.build_id}: {told}")
    with scratch_folder(after.build.work) as scratch:
        return None, site_figures(scratch, None, after)


def _figures(build: BuildDir, manifest: Manifest) -> BuildFigures:
    with scratch_database(build) as (database, scratch):
        return build_figures(BuildViews(database, scratch, "now", build), manifest.shards)


def shared_bytes(build: BuildDir, manifest: Manifest, parent: BuildDir | None) -> dict[str, int]:
    """Bytes of each table in files that are links to the parent's."""
    if parent is None:
        return {}
    shared = shared_names(build.root, parent.root)
    return {
        name: sum(file.bytes for file in entry.files if file.path in shared)
        for name, entry in manifest.tables.items()
    }


def _head(build: BuildDir) -> dict[str, Any]:
    """The hash head's report, which the job learn wrote into this build."""
    path = build.models / HEAD_REPORT
    try:
        about: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BuildError(f"{path}: not what learn wrote ({error})") from None
    return about
