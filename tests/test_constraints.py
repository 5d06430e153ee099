"""The pins of `constraints.txt` fit every Python that factmill supports."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = ("3.10", "3.11", "3.12", "3.13")


def pins() -> list[Requirement]:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    return [Requirement(line) for line in lines if line and not line.startswith("#")]


def pinned_for(python: str) -> list[Requirement]:
    environment = {"python_version": python, "python_full_version": f"{python}.0"}
    return [pin for pin in pins() if pin.marker is None or pin.marker.evaluate(environment)]


@pytest.mark.parametrize("python", PYTHONS)
def test_each_package_has_one_pin(python: str) -> None:
    names = [pin.name for pin in pinned_for(python)]
    assert sorted(set(names)) == sorted(names)


@pytest.mark.parametrize("python", PYTHONS)
def test_pinned_versions_run_on_it(python: str) -> None:
    """By their metadata, for all packages of this environment that have the pinned version."""
    unfit = []
    for pin in pinned_for(python):
        try:
            installed = distribution(pin.name)
        except PackageNotFoundError:
            continue
        wanted = SpecifierSet(str(installed.metadata.json.get("requires_python", "")))
        if installed.version in pin.specifier and f"{python}.99" not in wanted:
            unfit.append(f"{pin} wants Python {wanted}")
    assert not unfit
