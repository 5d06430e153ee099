"""The run report of a build, `70_report/report.html`: what a person wants to see in the morning.

Gathers numbers and samples from a build whose manifest is all but written; the page itself is made
by transforms/report/report_page.py.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from factmill.schemas.errors import BuildError
from factmill.schemas.layout import BuildDir
from factmill.schemas.manifest import Manifest
from factmill.schemas.storage.atomic import one_file, write_text
from factmill.schemas.storage.paths import StoragePath
from factmill.transforms.learn.learn_head import REPORT as HEAD_REPORT
from factmill.transforms.report.report_page import RunReport, report_page
from factmill.transforms.report.report_sample import code_balance, sample_units

REPORT = "70_report"


def write_report(
    build: BuildDir, manifest: Manifest, parent: BuildDir | None, quality: Mapping[str, Any] | None
) -> StoragePath:
    """Write the report into the build. Raises BuildError when what it shows cannot be read."""
    path = build.root / REPORT / "report.html"
    report = RunReport(
        manifest,
        shared_bytes(build, manifest, parent),
        code_balance(build, manifest.shards),
        _head(build),
        quality,
        sample_units(build, manifest),
    )
    write_text(path, report_page(report))
    return path


def shared_bytes(build: BuildDir, manifest: Manifest, parent: BuildDir | None) -> dict[str, int]:
    """Bytes of each table that lie in files of the parent under a second name."""
    if parent is None:
        return {}
    return {
        name: sum(
            file.bytes
            for file in entry.files
            if one_file(build.root / file.path, parent.root / file.path)
        )
        for name, entry in manifest.tables.items()
    }


def _head(build: BuildDir) -> dict[str, Any]:
    """The hash head's report, which the job learn wrote in this build."""
    path = build.models / HEAD_REPORT
    try:
        about: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BuildError(f"{path}: not what learn wrote ({error})") from None
    return about
