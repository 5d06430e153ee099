"""What verification finds in the files that say which names stand in which segments."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from factmill.runtime.opening import open_build
from factmill.schemas.layout import BuildDir
from factmill.schemas.link_files import LINK_ENDS, LINK_NAMES, LINK_WORDS, LINKS
from tests.runtime.tiny_build import Fact, Site, tiny_build
from tests.runtime.verify.damage import Row, faults, rewrite_arrow, set_row

_FACT = Fact("Ada Brock lit Gannet Rock.", "Who lit it?", "Ada Brock")
_OTHER = Fact("Gannet Rock is one.", "What is it?", "one")


@pytest.fixture
def linked(tmp_path: Path) -> BuildDir:
    titles = ("Ada Brock", "Gannet Rock")
    sites = [Site(title.split()[0], title, (_FACT, _OTHER)) for title in titles]
    return tiny_build(tmp_path / "store", sites, shards=1)


def _end_after_all(ends: list[Row]) -> None:
    """The first segment has the links of the second, but for the last."""
    ends[0]["stop"] = ends[1]["stop"] + 1


@pytest.mark.parametrize(
    ("name", "change", "named"),
    [
        (LINK_NAMES, set_row(0, name=lambda name: name + 1), "does not occur in its segment"),
        (LINK_NAMES, set_row(0, name=2**64 - 1), "not in order"),
        (LINK_NAMES, set_row(0, stop=0), "missing words"),
        (LINK_WORDS, set_row(0, word=-1), "missing words"),
        (LINK_WORDS, set_row(0, word=0), "does not have the words"),
        (LINKS, set_row(0, name=2), "a missing name"),
        (LINK_ENDS, _end_after_all, "a missing name"),
    ],
)
def test_verify_build_links_that_do_not_fit_are_a_fault(
    linked: BuildDir, name: str, change: Callable[[list[Row]], None], named: str
) -> None:
    assert not faults(linked)
    rewrite_arrow(linked, name, change, shards=1)
    # Nothing that opening would notice.
    open_build(linked)
    assert any(named in fault for fault in faults(linked))
