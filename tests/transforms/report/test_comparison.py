from __future__ import annotations

from pathlib import Path

from factmill.schemas.layout import BuildDir
from factmill.schemas.manifest import read_manifest
from factmill.transforms.report.comparison import OpenBuild, SiteFigure, compare, site_figures
from tests.compared_builds import compared_builds


def _open(build: BuildDir) -> OpenBuild:
    return OpenBuild(build, read_manifest(build))


def test_comparison_and_sites_of_two_builds(tmp_path: Path) -> None:
    before, after = map(_open, compared_builds(tmp_path / "store"))
    found = compare(tmp_path, before, after)
    assert found.changes.tables["10_pages"].removed == 2
    assert found.languages == {"en": 6}
    sites = site_figures(tmp_path, before, after)
    assert sites[:3] == [
        SiteFigure("museum.example", 1, 0, 0, 1),
        SiteFigure("dock.example", 0, 1, 0, 0),
        SiteFigure("ferry.example", 1, 0, 0, 0),
    ]
    assert SiteFigure("", 0, 0, 1, 1) in sites
    alone = site_figures(tmp_path, None, after)
    assert {(site.pages_before, site.rejects_before) for site in alone} == {(0, 0)}
