"""Ids are pinned: another value means that every store has to be built again."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmill.schemas.ids import (
    composed_question_id,
    content_hash,
    content_id,
    page_id,
    page_key,
    proposition_id,
    qa_pair_id,
    segment_id,
    shard_of,
)


def test_content_id_is_sha256_of_length_prefixed_parts() -> None:
    raw = b"".join(len(p).to_bytes(8, "big") + p for p in (b"page", "é".encode()))

    assert content_id("page", "é") == hashlib.sha256(raw).hexdigest()[:32]


@given(st.lists(st.text(), max_size=4), st.lists(st.text(), max_size=4))
def test_content_id_of_different_parts_differs(a: list[str], b: list[str]) -> None:
    assert (content_id("t", *a) == content_id("t", *b)) == (a == b)


def test_content_id_takes_lone_surrogates() -> None:
    assert len(content_id("t", "\ud800")) == 32


def test_page_id_of_a_url_survives_an_edit() -> None:
    before, after = content_hash("t", "old"), content_hash("t", "new")

    assert before != after
    assert page_id("http://a/", "x", before) == page_id("http://a/", "y", after)


def test_page_id_without_url_tells_equal_names_apart_by_content() -> None:
    assert page_id("", "index.html", "one") != page_id("", "index.html", "two")
    assert page_id("", "index.html", "one") == page_id("", "index.html", "one")


def test_page_key_prefers_the_url() -> None:
    assert page_key("http://a/", "x") == "http://a/"
    assert page_key("", "x") == "x"


def test_unit_ids_change_with_every_part() -> None:
    ids = {
        segment_id("p", "t", "h", "text", "x", 0),
        segment_id("q", "t", "h", "text", "x", 0),
        segment_id("p", "u", "h", "text", "x", 0),
        segment_id("p", "t", "i", "text", "x", 0),
        segment_id("p", "t", "h", "table", "x", 0),
        segment_id("p", "t", "h", "text", "y", 0),
        segment_id("p", "t", "h", "text", "x", 1),
        proposition_id("s", "x", 0, 1),
        proposition_id("s", "x", 0, 2),
        proposition_id("s", "x", 1, 2),
        qa_pair_id("s", "x", 0, 1),
        qa_pair_id("s", "x", 0, 2),
        composed_question_id("chain", "x", ["a", "b"]),
        composed_question_id("chain", "x", ["b", "a"]),
        composed_question_id("compound", "x", ["a", "b"]),
        composed_question_id("chain", "y", ["a", "b"]),
    }

    assert len(ids) == 16


@given(st.text(), st.integers(1, 64))
def test_shard_of_lies_within_the_shards(key: str, shards: int) -> None:
    assert 0 <= shard_of(key, shards) < shards


def test_shard_of_spreads_keys_evenly() -> None:
    counts = [0] * 8
    for number in range(8000):
        counts[shard_of(f"http://site/{number}", 8)] += 1

    assert min(counts) > 850
    assert max(counts) < 1150


def test_shard_of_refuses_no_shards() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        shard_of("a", 0)
