"""Splits a page's text and tables into segments, after removing what its site repeats."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterator, Sequence, Set
from dataclasses import replace

from factmill.models.text.span import Span
from factmill.schemas.ids import segment_id
from factmill.schemas.records import Page, Segment, SegmentKind
from factmill.transforms.clean.chunks import chunk_sentences
from factmill.transforms.markup.posts.post import Post

# Tables are divided by rows into less than half of this; longer parts have huge cells.
MAX_TABLE_CHARACTERS = 80_000

# kind, text, heading, start, end, post
_Part = tuple[SegmentKind, str, str, int | None, int | None, Post | None]


def without_sentences(
    text: str, sentences: Sequence[Span], left_out: Collection[int]
) -> tuple[str, list[Span]]:
    """The text without the sentences at these positions, and the new spans of the others.

    White space between sentences stays; around a removed one it becomes a line break if there was
    one, or a space.
    """
    parts: list[str] = []
    spans: list[Span] = []
    length = last = before = 0
    for position, (start, end) in enumerate(sentences):
        if position not in left_out:
            gap = text[last:start] if parts else ""
            if before != last:
                gap = ("\n" if "\n" in gap else " ") if parts else ""
            parts.append(gap + text[start:end])
            length += len(parts[-1])
            spans.append((length - (end - start), length))
            last = end
        before = end
    return "".join(parts), spans


def without_needed_headings(
    text: str, sentences: Sequence[Span], left_out: Collection[int], headings: Set[str]
) -> set[int]:
    """`left_out` without headings above remaining text, which would otherwise end up under the
    previous heading and seem to be about something else.
    """
    lines = text.split("\n")
    numbers: list[int] = []
    number = end = -1
    for start, _ in sentences:
        while start > end:
            number += 1
            end += len(lines[number]) + 1
        numbers.append(number)
    found = set(left_out)
    stays, below = False, -1
    for position in range(len(sentences) - 1, -1, -1):
        number = numbers[position]
        if number != below and lines[below] in headings:
            stays = False
        if lines[number] not in headings:
            stays = stays or position not in found
        elif stays:
            found.discard(position)
        below = number
    return found


def _table_parts(table: str) -> Iterator[str]:
    """The table, or, with overlong cells, parts of MAX_TABLE_CHARACTERS."""
    for start in range(0, len(table), MAX_TABLE_CHARACTERS):
        yield table[start : start + MAX_TABLE_CHARACTERS]


def segment_page(
    page: Page,
    tables: Sequence[str],
    data: Sequence[str],
    sentences: Sequence[Span],
    headings: Set[str],
    posts: Sequence[Post] = (),
) -> Iterator[Segment]:
    """The segments of a page in order, its tables and data last, without entities.

    `posts` are by sentences. No segment spans two posts.
    """
    seen: Counter[tuple[str, str, str]] = Counter()
    chunks: list[_Part] = [
        ("text", page.text[chunk.start : chunk.end], chunk.heading, chunk.start, chunk.end, post)
        for part, post in _by_posts(sentences, posts)
        for chunk in chunk_sentences(page.text, part, headings)
    ]
    parts: list[_Part] = [
        ("table", part, "", None, None, None) for table in tables for part in _table_parts(table)
    ]
    parts += [("data", lines, "", None, None, None) for lines in data]
    for ordinal, (kind, text, heading, start, end, post) in enumerate([*chunks, *parts]):
        occurrence = seen[kind, heading, text]
        seen[kind, heading, text] += 1
        name = segment_id(page.page_id, page.title, heading, kind, text, occurrence)
        found = Segment(name, page.page_id, ordinal, kind, text, heading, start, end)
        if post is not None:
            found = replace(found, post=post.number, author=post.author, published=post.published)
        yield found


def _by_posts(
    sentences: Sequence[Span], posts: Sequence[Post]
) -> Iterator[tuple[Sequence[Span], Post | None]]:
    """The sentences of each post, and those between posts, in order."""
    at = 0
    for post in posts:
        if at < post.start:
            yield sentences[at : post.start], None
        yield sentences[post.start : post.end], post
        at = post.end
    if at < len(sentences):
        yield sentences[at:], None


def posts_without(posts: Sequence[Post], left_out: Collection[int]) -> tuple[Post, ...]:
    """Posts by sentences, after removing the sentences at these positions."""
    gone = sorted(left_out)
    moved = (
        replace(
            post,
            start=post.start - bisect_left(gone, post.start),
            end=post.end - bisect_left(gone, post.end),
        )
        for post in posts
    )
    return tuple(post for post in moved if post.start < post.end)
