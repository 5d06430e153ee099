from __future__ import annotations

import gzip
import zlib

import brotli
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from factmill.transforms.inputs.http_bodies import decoded_body
from tests.transforms.inputs.warc_files import chunked

PAGE = (
    b"<html><body><p>"
    + b"The harbour of Port Elland, and its ferries. " * 40
    + b"</p></body></html>"
)
LIMIT = 1_000_000


def _raw_deflate(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()


_CODERS = {
    "gzip": gzip.compress,
    "X-GZIP": gzip.compress,
    "deflate": zlib.compress,
    "Deflate": _raw_deflate,
    "br": brotli.compress,
    "zstd": zstandard.compress,
}


@pytest.mark.parametrize("coding", _CODERS)
def test_decoded_body_each_coding(coding: str) -> None:
    assert decoded_body(_CODERS[coding](PAGE), "", coding, LIMIT) == PAGE


@pytest.mark.parametrize("first", ["gzip", "deflate", "br", "zstd"])
@pytest.mark.parametrize("second", ["gzip", "deflate", "br", "zstd"])
def test_decoded_body_stacked_codings_are_undone_from_the_last(first: str, second: str) -> None:
    body = chunked(_CODERS[second](_CODERS[first](PAGE)), 100)
    assert decoded_body(body, "chunked", f"{first}, {second}", LIMIT) == PAGE


def test_decoded_body_transfer_coding_is_undone_before_the_content_coding() -> None:
    body = chunked(gzip.compress(brotli.compress(PAGE)), 50)
    assert decoded_body(body, "gzip, chunked", "br", LIMIT) == PAGE


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd", "x-unknown", "identity"])
def test_decoded_body_not_coded_as_it_says_stays(coding: str) -> None:
    assert decoded_body(PAGE, "chunked", coding, LIMIT) == PAGE


@pytest.mark.parametrize("coding", ["", "gzip"])
def test_decoded_body_compressed_once_more_than_it_says(coding: str) -> None:
    body = gzip.compress(_CODERS[coding](PAGE)) if coding else gzip.compress(PAGE)
    assert decoded_body(body, "", coding, LIMIT) == PAGE


def test_decoded_body_of_several_gzip_members_is_all_of_them() -> None:
    members = [PAGE * 50, b"and more", b"and the end"]
    body = b"".join(map(gzip.compress, members)) + b"rubbish"
    assert decoded_body(body, "", "gzip", LIMIT) == b"".join(members)


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_decoded_body_broken_off_gives_what_came_before(coding: str) -> None:
    whole = b"".join(b"%d " % (n * n * 7919) for n in range(60_000))
    packed = _CODERS[coding](whole)
    found = decoded_body(packed[: len(packed) * 3 // 4], "", coding, LIMIT)
    assert len(found) > len(whole) // 4
    assert whole.startswith(found)


def test_decoded_body_broken_off_in_its_first_block_gives_what_came_before() -> None:
    whole = b"".join(b"%d " % (n * n * 7919) for n in range(3000))
    packed = brotli.compress(whole)
    found = decoded_body(packed[: len(packed) * 3 // 4], "", "br", LIMIT)
    assert len(found) > len(whole) // 4
    assert whole.startswith(found)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"5;name=value\r\nhello\r\n0\r\nTrailer: x\r\n\r\n", b"hello"),
        (b"5\nhello\n1\n!\n0\n\n", b"hello!"),
        (b"5\r\nhello\r\nFF\r\ncut off", b"hellocut off"),
        (b"5\r\nhello\r\nno size\r\n", b"hello"),
        (b"5\r\nhello\r\n-3\r\nabc", b"hello"),
        (b"0\r\n\r\n", b""),
        (b"fffffffffffffff\r\nhello", b"hello"),
        (b"ffffffffffffffffffff\r\nhi", b"ffffffffffffffffffff\r\nhi"),
        (b"", b""),
    ],
)
def test_decoded_body_chunks_up_to_the_first_invalid_one(body: bytes, expected: bytes) -> None:
    assert decoded_body(body, "chunked", "", LIMIT) == expected


@pytest.mark.parametrize("coding", ["gzip", "deflate", "Deflate", "br", "zstd"])
def test_decoded_body_bomb_ends_at_the_limit(coding: str) -> None:
    assert len(decoded_body(_CODERS[coding](b"\0" * 30_000_000), "", coding, LIMIT)) == LIMIT + 1


def test_decoded_body_bomb_of_many_members_ends_at_the_limit() -> None:
    body = gzip.compress(b"\0" * 100_000) * 1000
    assert len(decoded_body(body, "", "gzip", LIMIT)) == LIMIT + 1


def test_decoded_body_many_codings_are_not_all_undone() -> None:
    body = PAGE
    for _ in range(12):
        body = gzip.compress(body)
    assert decoded_body(body, "", ",".join(["gzip"] * 12), LIMIT)[:2] == b"\x1f\x8b"


@given(
    st.binary(max_size=300),
    st.sampled_from(["", "chunked", "gzip", "gzip, chunked"]),
    st.lists(st.sampled_from([*_CODERS, "", "identity"]), max_size=4).map(",".join),
)
@settings(max_examples=300)
def test_decoded_body_any_bytes_never_raise(body: bytes, transfer: str, content: str) -> None:
    for packed in (body, *(pack(body) for pack in _CODERS.values())):
        assert isinstance(decoded_body(packed, transfer, content, LIMIT), bytes)
