"""Breaks pages, reproducibly by seed, as the web and attackers do."""

from __future__ import annotations

import random
from collections.abc import Callable

_TAGS = (
    b"<table><tr><td>", b"</div>", b"<p>", b"<b><i>", b"<script>", b"</script>", b"<!--", b"-->",
    b"<svg><math>", b"<select>", b"<template>", b"<noscript>", b"<textarea>", b"<plaintext>",
    b"<frameset>", b"</body>", b"</html>", b"<article>", b"<![CDATA[", b"<a href=",
    b"<h2>", b"<li>", b'<meta charset="utf-16">', b"<base href=//x>",
    b"<td rowspan=65534 colspan=1000>",
)  # fmt: skip
_BYTES = (
    b"\0", b"\xff\xfe", b"\x80", b"\xed\xa0\x80", b"\x1b$B", b"\r", b"&#x110000;", b"&#0;", b"&amp",
    b"\xef\xbb\xbf", b"\xe2\x80\xae", b"\xf4\x90\x80\x80", b"\x0c", b"\x7f",
)  # fmt: skip


def _insert(rng: random.Random, page: bytes, piece: bytes) -> bytes:
    at = rng.randrange(len(page) + 1)
    return page[:at] + piece + page[at:]


def _tags(rng: random.Random, page: bytes) -> bytes:
    for _ in range(rng.randrange(1, 20)):
        page = _insert(rng, page, rng.choice(_TAGS))
    return page


def _odd_bytes(rng: random.Random, page: bytes) -> bytes:
    for _ in range(rng.randrange(1, 20)):
        page = _insert(rng, page, rng.choice(_BYTES))
    return page


def _noise(rng: random.Random, page: bytes) -> bytes:
    spoiled = bytearray(page)
    for _ in range(rng.randrange(1, 2 + len(page) // 50)):
        if spoiled:
            spoiled[rng.randrange(len(spoiled))] = rng.randrange(256)
    return bytes(spoiled)


def _cut_off(rng: random.Random, page: bytes) -> bytes:
    return page[: rng.randrange(len(page) + 1)]


def _cut_out(rng: random.Random, page: bytes) -> bytes:
    start = rng.randrange(len(page) + 1)
    return page[:start] + page[start + rng.randrange(5000) :]


def _repeated(rng: random.Random, page: bytes) -> bytes:
    start = rng.randrange(len(page) + 1)
    piece = page[start : start + rng.randrange(1, 200)]
    return page[:start] + piece * rng.randrange(1, 2000) + page[start:]


def _nested(rng: random.Random, page: bytes) -> bytes:
    depth = rng.choice([300, 3000, 30_000])
    return _insert(
        rng, page, rng.choice([b"<div>", b"<table><tr><td>", b"<b>", b"<ul><li>"]) * depth
    )


def _flooded(rng: random.Random, page: bytes) -> bytes:
    piece = rng.choice([b"&amp;", b"&#65;", b"&lt;p&gt;", b"&nosuch;", b"<br>", b"<p x=1 x=2 x=3>"])
    return _insert(rng, page, piece * rng.choice([100, 10_000]))


def _attribute(rng: random.Random, page: bytes) -> bytes:
    value = bytes([rng.choice(b"a /'&<")]) * rng.choice([1000, 300_000])
    return _insert(rng, page, b'<p class="' + value + b'" style="' + value + b'">text')


_MUTATIONS: tuple[Callable[[random.Random, bytes], bytes], ...] = (
    _tags, _odd_bytes, _noise, _cut_off, _cut_out, _repeated, _nested, _flooded, _attribute,
)  # fmt: skip


def mutated(page: bytes, seed: int) -> bytes:
    """The page after one to three mutations; the same seed gives the same bytes."""
    rng = random.Random(seed)
    for mutation in rng.choices(_MUTATIONS, k=rng.randrange(1, 4)):
        page = mutation(rng, page)
    return page
