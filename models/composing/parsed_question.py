"""An atomic question split into the one name in it and what is asked about that name.

A question with several names, or whose name may be part of a longer one, is left alone: a question
composed from the wrong name is worse than none. Knows nothing of pages but their titles.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from factmill.models.readers.question_rules import words
from factmill.models.text.entities import EntityFinder
from factmill.models.text.function_words import FUNCTION_WORDS
from factmill.models.text.titles import Title

MAX_CHARACTERS = 200
_FINDER = EntityFinder()
# Words that carry no information about what is asked.
_EMPTY_WORDS = FUNCTION_WORDS - frozenset(
    "see say says said get go goes got give gives given let make makes made put seem seems seemed "
    "take takes took call show shows second third".split()
)
_BE = frozenset("is are was were".split())
_OWNED = re.compile(r"['’]s (?P<what>(?:[a-z][a-z-]* ){0,3}[a-z][a-z-]*)\?")
_PARTICIPLE = re.compile(r"(?:[a-z]+ed|born|known|given|made)")
_ARTICLE = re.compile(r"(?:the|an?)\s+", re.IGNORECASE)
_ASKS = re.compile(r"(?:who|whom|whose|what|which|when|where|why|how|in (?:which|what))\b", re.I)
# Words that join others to one name: "University of Texas", "Gold and the Woman", "Alice in
# Wonderland".
_JOINING = r"(?:and|or|of|for|in|on|at|to|from|with|by|de|da|del|di|la|le|du|van|von|der|und|et|y)"
_PART_OF_LONGER_BEFORE = re.compile(
    rf"(?:\b(?!the\b)[^\W_a-z][\w.'’-]*\s+(?:{_JOINING}\s+(?:the\s+)?)?|[,:&(/–-]\s*|\b(?:and|or)\s+)$"
)
_PART_OF_LONGER_AFTER = re.compile(
    rf"\s+(?:{_JOINING}\s+)?(?:the\s+)?[^\W_a-z]|\s+(?:and|or)\b|[^\w\s?'’\"”]|['’](?!s\s)"
)


@dataclass(frozen=True)
class ParsedQuestion:
    """A question about `question[start:end]`. The span excludes what accompanies the name: quotes,
    an article, nouns: "Who directed the 1923 film 'Skell Mill'?"
    """

    question: str
    start: int
    end: int

    @property
    def entity(self) -> str:
        return self.question[self.start : self.end]

    @cached_property
    def before(self) -> str:
        """The text before the name and its accompanying words."""
        before = self.question[: self.start].rstrip("\"“'‘ ")
        head, the, nouns = before.rpartition(" the")
        belong = the and nouns[:1] in ("", " ") and FUNCTION_WORDS.isdisjoint(nouns.split())
        return (head if belong else before) + " "

    @cached_property
    def after(self) -> str:
        return self.question[self.end :].lstrip('"”')

    @cached_property
    def named(self) -> str:
        """The name with its accompanying words, as written."""
        return self.question[len(self.before) : len(self.question) - len(self.after)]

    @cached_property
    def word(self) -> str:
        """The question word."""
        return self.question.split(None, 1)[0].lower()

    @cached_property
    def content(self) -> frozenset[str]:
        """The words that describe what is asked about the name."""
        said = words(f"{self.before} {self.after.removeprefix(chr(39) + 's')}".lower())
        return frozenset(said[1:]) - _EMPTY_WORDS - {"s"}

    @property
    def is_definition(self) -> bool:
        """ "Who is X?", "What was X?": asks only what the name stands for."""
        return self.after == "?" and _BE.issuperset(self.before.lower().split()[1:])

    @property
    def owned(self) -> str:
        """The noun of "What is X's home port?"; "" for other or longer questions."""
        match = _OWNED.fullmatch(self.after)
        words_owned = match["what"].split() if match else []
        plain = _EMPTY_WORDS.isdisjoint(words_owned)
        return (
            match["what"] if match and plain and not _PARTICIPLE.fullmatch(words_owned[-1]) else ""
        )

    @cached_property
    def is_replaceable(self) -> bool:
        """Whether something else can replace the name: not in "Who did actress Ada Brock marry?",
        where a noun without an article accompanies it.
        """
        *others, last = self.before.split()
        return last.lower() in FUNCTION_WORDS or FUNCTION_WORDS.isdisjoint({*others[1:]} - {"and"})

    @cached_property
    def predicate(self) -> str:
        """A key that is equal for questions that ask the same about the same name."""
        word = "who" if self.is_definition else self.word
        return f"{word}|{' '.join(sorted(self.content))}"

    def about(self, phrase: str) -> ParsedQuestion:
        """The same question about something else, which has its own article if needed."""
        start = len(self.before)
        return ParsedQuestion(self.before + phrase + self.after, start, start + len(phrase))


@dataclass(frozen=True, slots=True)
class AtomicPair:
    """An atomic question with its answer, and where it comes from."""

    unit_id: str
    page_id: str
    asked: ParsedQuestion
    answer: str


def name_key(name: str) -> str:
    """A key that is equal for spellings of one name: without article, quotes, and case."""
    bare = " ".join(name.split()).strip("\"“”'‘’ ").casefold()
    return _ARTICLE.sub("", bare, count=1) if _ARTICLE.match(bare) else bare


def read_question(question: str, title: Title) -> ParsedQuestion | None:
    """Parse a question: the name in the page's title if the question contains it, otherwise its
    only name. None if that is unclear.
    """
    if (
        len(question) > MAX_CHARACTERS
        or not _ASKS.match(question)
        or not question.endswith("?")
        or question.count("?") > 1
        or not question.isprintable()
    ):
        return None
    span = _title_span(question, title.name) or _only_name(question)
    if span is None:
        return None
    start, end = span
    if _PART_OF_LONGER_BEFORE.search(question, 0, start) and not _opens(question, start):
        return None
    if _PART_OF_LONGER_AFTER.match(question, end):
        return None
    return ParsedQuestion(question, start, end)


def _opens(question: str, start: int) -> bool:
    """Whether only the question word precedes the name: its capital is not part of the name."""
    return len(words(question[:start])) < 2 and "," not in question[:start]


def _title_span(question: str, name: str) -> tuple[int, int] | None:
    name = name.removeprefix("The ")
    start = question.find(name) if name and not name.islower() else -1
    end = start + len(name)
    if start <= 0 or question[start - 1].isalnum() or question[end : end + 1].isalnum():
        return None
    if name[:1].islower() or len(words(name)) == 0 or question.find(name, end) >= 0:
        return None
    return start, end


def _only_name(question: str) -> tuple[int, int] | None:
    (entities,) = _FINDER.find([question])
    names = [entity for entity in entities if entity.label == "MISC"]
    if len(names) != 1:
        return None
    return names[0].start, names[0].end
