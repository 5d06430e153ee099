"""The words of a question, and which of them are not understood yet."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from factmill.models.answering.words.content_words import STOP, stem

_WORD = re.compile(r"[^\W_]+(?:[.,'’/–-][^\W_]+)*|[$€£%#+]")
# "How many goals were let in?", with the words that tell which goals are meant.
_LET_IN = re.compile(r"(?<=\bgoals )(.{0,60})\blet(?:s|ting)? in\b")


@dataclass(slots=True)
class QuestionWords:
    """The words of a question in lower case, with those that are not understood yet."""

    text: str
    words: list[str] = field(default_factory=list)
    spelled: list[str] = field(default_factory=list)
    not_understood: set[int] = field(default_factory=set)

    @classmethod
    def of(cls, question: str) -> QuestionWords:
        found = list(_WORD.finditer(_LET_IN.sub(r"\1conceded", question)))
        spelled = [match.group() for match in found]
        words = [re.sub(r"['’]s$", "", word.lower()) for word in spelled]
        not_understood = {
            n for n, word in enumerate(words) if word not in STOP and stem(word) not in STOP
        }
        return cls(" ".join(words), words, spelled, not_understood)

    def understand(self, first: int, last: int) -> None:
        """Mark the words from `first` to `last` as understood."""
        self.not_understood.difference_update(range(first, last))

    def find(self, pattern: re.Pattern[str]) -> tuple[int, int, re.Match[str]] | None:
        """The words that a pattern over the joined words matches."""
        match = pattern.search(self.text)
        if match is None:
            return None
        first = self.text.count(" ", 0, match.start())
        return first, first + len(match.group().split()), match
