"""The name that a page's title gives: the phrase by which texts name it, also as a number."""

from __future__ import annotations

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


def is_named(title: str, text: str) -> bool:
    """Whether a text names the page of this title."""
    name = " ".join(words(read_title(title).name))
    return bool(name) and f" {name} " in f" {' '.join(words(text))} "
