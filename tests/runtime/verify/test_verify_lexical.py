"""What verification finds in the files by which segments are found by their words."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest

from factmill.runtime.opening import open_build
from factmill.schemas.layout import INDEX, BuildDir
from factmill.schemas.lexical_files import (
    LENGTHS,
    LEXICAL_FILES,
    NAMES,
    POSTINGS,
    TERM_FREQUENCIES,
    WORDS,
)
from tests.runtime.tiny_build import write_manifest
from tests.runtime.verify.damage import Row, faults, rewrite_arrow, set_row


@pytest.mark.parametrize("name", LEXICAL_FILES)
def test_verify_build_lexical_file_damaged_under_a_true_checksum_is_a_fault(
    build: BuildDir, name: str
) -> None:
    path = build.shard(INDEX, 0) / name
    path.write_bytes(path.read_bytes()[:-40])
    write_manifest(build)
    assert any(name in fault for fault in faults(build))


def test_verify_build_words_of_another_shard_are_a_fault(build: BuildDir) -> None:
    one, two = build.shard(INDEX, 0), build.shard(INDEX, 1)
    for name in LEXICAL_FILES:
        (two / name).write_bytes((one / name).read_bytes())
    write_manifest(build)
    assert any("shard=001: words of" in fault for fault in faults(build))


def _take_a_posting(words: list[Row]) -> None:
    """A word has the first posting of the next one, whose gap it does not have."""
    one = next(one for one, next_ in pairwise(words) if next_["stop"] - one["stop"] > 1)
    one["stop"] += 1


def _lexical(build: BuildDir, name: str, change: Callable[[list[Row]], None]) -> None:
    rewrite_arrow(build, name, change)
    # Nothing that a search would notice.
    open_build(build)


@pytest.mark.parametrize(
    ("name", "change", "named"),
    [
        (WORDS, set_row(3, hash=lambda hash: hash + 1), "its words do not match"),
        (WORDS, set_row(3, hash=0), "not in order"),
        (WORDS, _take_a_posting, "are damaged"),
        (WORDS, set_row(3, gaps_stop=-1), "not in order"),
        (TERM_FREQUENCIES, set_row(0, mentions=lambda tf: tf + 1), "its words do not match"),
        (POSTINGS, set_row(0, byte=lambda byte: byte + 1), "its words do not match"),
        (POSTINGS, set_row(0, byte=127), "a missing segment"),
        (POSTINGS, set_row(0, byte=128), "are damaged"),
        (LENGTHS, set_row(0, words=lambda words: words + 1), "the wrong number of words"),
        (NAMES, set_row(0, name=lambda name: name + 1), "does not match its title"),
        (NAMES, set_row(0, segments=lambda segments: segments + 1), "its names do not match"),
        (NAMES, set_row(0, segments=-1), "its names do not match"),
    ],
)
def test_verify_build_words_that_the_segments_do_not_have_are_a_fault(
    build: BuildDir, name: str, change: Callable[[list[Row]], None], named: str
) -> None:
    _lexical(build, name, change)
    assert any(named in fault for fault in faults(build))
