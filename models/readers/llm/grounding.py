"""Checks whether a text has names, numbers or dates that its source lacks.

A source is a segment with its heading and the page's title. Numbers are compared by value ("1,000"
and "1000", "two" and "2", "1.5 million" and "1,500,000"), dates part by part, names word by word;
an adjective matches its country.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from factmill.models.readers.llm.demonyms import related
from factmill.models.readers.llm.tokens import Tokens
from factmill.models.text.function_words import FUNCTION_WORDS

_NUMBER_WORDS = {
    word: value
    for value, words in {
        0: "zero", 2: "two second twice", 3: "three third", 4: "four fourth", 5: "five fifth",
        6: "six sixth", 7: "seven seventh", 8: "eight eighth", 9: "nine ninth", 10: "ten tenth",
        11: "eleven eleventh", 12: "twelve twelfth", 13: "thirteen thirteenth",
        14: "fourteen fourteenth", 15: "fifteen fifteenth", 16: "sixteen sixteenth",
        17: "seventeen seventeenth", 18: "eighteen eighteenth", 19: "nineteen nineteenth",
        20: "twenty twentieth", 30: "thirty thirtieth", 40: "forty", 50: "fifty", 60: "sixty",
        70: "seventy", 80: "eighty", 90: "ninety",
    }.items()
    for word in words.split()
}  # fmt: skip
# "one" and "first" are mostly not numbers: "one of the oldest", "the first name".
_UNCHECKED = {"one": 1.0, "first": 1.0, "once": 1.0}
_ONES: dict[str, float] = {**_NUMBER_WORDS, **_UNCHECKED}
_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_SHORT_SCALES = {"k": 1e3, "m": 1e6, "mn": 1e6, "bn": 1e9, "b": 1e9}
_NO_NAMES = FUNCTION_WORDS | _NUMBER_WORDS.keys() | _SCALES.keys()
# Words that begin sentences but are not in our list of function words.
_OPENERS = frozenset(
    "according following including based due born several various originally currently".split()
)
_MONTHS = {
    name: number
    for number, names in enumerate(
        "january jan,february feb,march mar,april apr,may,june jun,july jul,august aug,"
        "september sep sept,october oct,november nov,december dec".split(","),
        start=1,
    )
    for name in names.split()
}
_LEADING_NUMBER = re.compile(r"(\d{1,15}(?:\.\d{1,9})?)(?![.\d])([a-zµ]*)")
_DECADE = re.compile(r"[12]\d\d0s")
_NUMERIC_DATE = re.compile(r"\b\d{1,4}([-./])(\d{1,2})\1\d{1,4}\b|\b\d{4}-(\d\d)\b")
# Pages sometimes lose the space or mark between two names: "StarletTangerine", "1880October".
_GLUED = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])|(?<=\d)(?=[A-Z])|(?<=[^\W\d_])(?=\d)")
_SHORT_RANGE = re.compile(r"\b(\d\d)\d\d[-–/](\d\d)\b")


def _values(keys: list[str]) -> Iterator[tuple[int, float, float]]:
    """The numbers among tokens: position, value, and value with the following scale."""
    for position, key in enumerate(keys):
        if key[0].isdigit():
            match = _LEADING_NUMBER.match(key)
            if match is None:
                continue
            value, unit = float(match[1]), match[2]
        elif key in _NUMBER_WORDS:
            value, unit = float(_NUMBER_WORDS[key]), ""
            # "twenty-one"
            if value >= 20 and value % 10 == 0 and position + 1 < len(keys):
                ones = _ONES.get(keys[position + 1], 0)
                value += ones if ones < 10 else 0
        else:
            continue
        following = unit or (keys[position + 1] if position + 1 < len(keys) else "")
        scale = _SCALES.get(following) or _SHORT_SCALES.get(following) or 1.0
        yield position, value, value * scale


class GroundingSource:
    """The text from which a segment's facts and questions may be made."""

    def __init__(self, *texts: str) -> None:
        self._keys: set[str] = set()
        self._stems: set[str] = set()
        self._numbers: set[float] = set()
        self._months: set[int] = set()
        for text in texts:
            self._add(text)

    def _add(self, text: str) -> None:
        keys = Tokens(text).keys
        keys += Tokens(_GLUED.sub(" ", text)).keys
        self._keys.update(keys)
        self._stems.update(map(without_inflection, keys))
        for _, value, scaled in _values(keys):
            self._numbers.update((value, scaled))
        self._numbers.update(_UNCHECKED[key] for key in keys if key in _UNCHECKED)
        months = {_MONTHS[key] for key in keys if key in _MONTHS}
        self._numbers.update(float(a + b) for a, b in _SHORT_RANGE.findall(text))
        for match in _NUMERIC_DATE.finditer(text):
            months.update(map(int, re.findall(r"\d+", match.group())))
        self._months.update(months)
        self._keys.update(name for name, number in _MONTHS.items() if number in months)

    def lacking_number(self, tokens: Tokens) -> str:
        """A number in the tokens that the source lacks, as written; "" for none."""
        keys, grounded = tokens.keys, set[int]()
        for position, value, scaled in _values(keys):
            if scaled in self._numbers:
                grounded.add(position)
                # Part of another number: the scale of "1.5 million" or the two of "twenty-two".
                if position + 1 < len(keys) and not keys[position + 1][0].isdigit():
                    grounded.add(position + 1)
            elif value in self._numbers or (value in self._months and _in_date(keys, position)):
                grounded.add(position)
        for position, key in enumerate(keys):
            counts = key[0].isdigit() or key in _NUMBER_WORDS or key in _SCALES
            is_grounded = position in grounded or self.has(key) or self._has_decade(key)
            if counts and not is_grounded:
                return tokens.words[position]
        return ""

    def lacking_name(self, tokens: Tokens, first: int = 0) -> str:
        """A name from the token `first` on that the source lacks; "" for none."""
        for index in range(first, len(tokens)):
            word, key = tokens.words[index], tokens.keys[index]
            if not word[0].isupper() or key in _NO_NAMES or (index == 0 and key in _OPENERS):
                continue
            if not self.has(key) and not self._has_relative(key):
                return word
        return ""

    def _has_decade(self, key: str) -> bool:
        """Whether the key is a decade such as "1980s" and the source has one of its years."""
        if not _DECADE.fullmatch(key):
            return False
        return any(float(key[:-2]) * 10 + year in self._numbers for year in range(10))

    def has(self, key: str) -> bool:
        return key in self._keys or without_inflection(key) in self._stems

    def _has_relative(self, name: str) -> bool:
        return any(word in self._keys for word in related(name))


def _in_date(keys: list[str], position: int) -> bool:
    """Whether the number is the month in "1963-05-07" or "7/5/1963"."""
    return 0 < position < len(keys) - 1 and (
        keys[position - 1].isdigit() and keys[position + 1].isdigit()
    )


@lru_cache(1 << 16)
def without_inflection(key: str) -> str:
    """A word without endings of number and tense; crude, but consistent."""
    for ending, least in (("ies", 3), ("es", 3), ("s", 2), ("ed", 3), ("ing", 3)):
        if key.endswith(ending) and len(key) - len(ending) >= least:
            key = key[: -len(ending)]
            break
    return key[:-1] if len(key) > 3 and key[-1] in "eyi" else key
