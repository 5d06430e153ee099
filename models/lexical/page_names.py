"""The name in a page's title: the phrase by which texts refer to the page, also as a hash."""

from __future__ import annotations

from collections.abc import Iterable

from factmill.models.lexical.bm25 import MAX_PHRASE, phrase_hashes, word_hashes, words
from factmill.models.text.titles import read_title


def name_hash(title: str) -> int:
    """The hash of the title as a phrase, without the site's name and a parenthesis behind it
    (`bm25.phrase_hashes`); 0 when it has no words, or more than MAX_PHRASE."""
    hashes = word_hashes(read_title(title).name)
    if not 0 < len(hashes) <= MAX_PHRASE:
        return 0
    *_, whole = phrase_hashes(hashes)
    return int(whole[0])


def first_naming(title: str, texts: Iterable[str]) -> int | None:
    """The number of the first text that contains the name of the page with this title; None if
    there is none.
    """
    name = words(read_title(title).name)
    if not name:
        return None
    phrase, longest = f" {' '.join(name)} ", max(name, key=len)
    for number, text in enumerate(texts):
        # Most texts are excluded without splitting them into words.
        lower = f" {text.lower()} "
        if (phrase in lower and text.isascii()) or (
            (longest in lower or not text.isascii()) and phrase in f" {' '.join(words(text))} "
        ):
            return number
    return None
