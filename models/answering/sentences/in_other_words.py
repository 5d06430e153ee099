"""A question in the words of the page that is found, where that page does not have its own.

    "When was the hall erected?", and "The hall was built in 1742."   -> "When was the hall built?"

The page is the first one that has all names of the question. A word that it has stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from factmill.models.answering.answer_candidates import Source
from factmill.models.answering.sentences.sentence_spans import sentence_spans
from factmill.models.answering.words.asked_for import asked_for
from factmill.models.answering.words.content_words import WORD, stem, stem_set
from factmill.models.answering.words.paraphrases import paraphrases_of

# How many pages are looked at. A longer question keeps its words, because pages are searched for
# each of them.
_MAX_PAGES, _MAX_CHARACTERS = 3, 1000
# "What is the population of Tallow?" asks for a number, and "what is the inhabitants?" does not.
_ASKS_WHAT_IS = re.compile(r"what(?:['’]s| is| was) the ", re.IGNORECASE)
_COUNTED = frozenset({"inhabitants", "residents", "people", "staff", "employees", "workers"})


def in_words_of_page(question: str, sources: Sequence[Source]) -> str:
    """The question, with words of a page for those that mean the same and that it does not have."""
    otherwise = paraphrases_of(question) if len(question) <= _MAX_CHARACTERS else []
    if not otherwise:
        return question
    asked = asked_for(question)
    pages = _pages(sources)
    named = [one for one in pages if asked.names <= one.stems]
    named = named[: _MAX_PAGES if asked.names else 1]
    put: list[tuple[int, int, str]] = []
    for start, end, others in otherwise:
        left = asked.stems - stem_set(question[start:end])
        for page in named:
            if page.says(question[start:end]):
                break
            if said := page.said_for(others, left):
                put.append((start, end, _in_number_of(question[start:end], said, others)))
                break
    for start, end, said in sorted(put, reverse=True):
        if said in _COUNTED and _ASKS_WHAT_IS.fullmatch(question[:start]):
            said = f"number of {said}"
        question = question[:start] + said + question[end:]
    return question


def _in_number_of(asked: str, said: str, others: Sequence[str]) -> str:
    """A word of the page, without the "s" of a plural where one thing is asked for."""
    one = said.removesuffix("s")
    return one if not asked.endswith("s") and said != one and one in others else said


class _WordsOfPage:
    """The words of what was found of a page."""

    def __init__(self, title: str) -> None:
        self._title = stem_set(title)
        self._texts: list[str] = []
        self.stems = set(self._title)

    def add(self, text: str) -> None:
        self._texts.append(text)
        self.stems |= _stems(text)

    def says(self, words: str) -> bool:
        """Whether the page has these words, or the one word in any form."""
        if " " not in words:
            return stem(words) in self.stems
        return any(words in text for text in self._texts)

    def said_for(self, others: Sequence[str], left: frozenset[str]) -> str:
        """The words among some that stand with most words of the rest of a question."""
        best, most = "", -1
        for one in others:
            for text, said in self._found(one):
                shared = len(left & (_stems(text) | self._title))
                if shared > most:
                    best, most = said, shared
        return best

    def _found(self, words: str) -> Iterator[tuple[str, str]]:
        """The sentences that have these words, or the one word in its other number."""
        single = words.isalpha()
        if single and stem(words) not in self.stems:
            return
        forms = {words, f"{words}s", words.removesuffix("s")} if single else {words}
        for text in self._texts:
            for start, end in sentence_spans(text):
                said = text[start:end]
                if single:
                    found = (one for one in WORD.findall(said) if one.lower() in forms)
                    form = next((one for one in found if one.islower() or _begins(said, one)), "")
                else:
                    form = words if words in said else ""
                if form:
                    yield said, form.lower()


def _begins(sentence: str, word: str) -> bool:
    """Whether a word has its capital as the first one of a sentence, or in a table."""
    return "|" in sentence or sentence.startswith(word)


@lru_cache(4096)
def _stems(text: str) -> frozenset[str]:
    return stem_set(text)


def _pages(sources: Sequence[Source]) -> list[_WordsOfPage]:
    pages: dict[str, _WordsOfPage] = {}
    for source in sources:
        pages.setdefault(source.page, _WordsOfPage(source.title)).add(source.text)
    return list(pages.values())
