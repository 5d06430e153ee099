"""Patterns for what questions ask of a table, over their words in lower case."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from math import isinf

from factmill.models.answering.words.dates_and_numbers import NUMBER, number_of

Pattern = re.Pattern[str]
_WORDS = (
    "one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty"
    " fifty hundred"
).split()
# Its one group is the number, which begins within no other: "2,000" has one.
_N = (
    r"(?:\$ |£ |€ )?((?<!\d[,.])\d[\d,.]*(?: (?:thousand|million|billion))?"
    rf"|(?:{'|'.join(_WORDS)})\b)"
)
_YEAR = r"(?:the year )?(1\d{3}|20\d{2})\b"


def _words(*phrases: str) -> Pattern:
    """Matches any of these phrases, as whole words."""
    return re.compile(rf"\b(?:{'|'.join(phrases)})\b")


LARGER = (
    "more greater higher larger bigger longer taller further farther heavier wider deeper better"
    " faster"
).split()
SMALLER = "less fewer lower smaller shorter lighter narrower cheaper slower".split()
_NOT_DENIED = r"(?<!\bno )(?<!\bnot )"
_Compares = Callable[[Fraction, Fraction], bool]
# What a range of numbers is bounded by.
NUMBER_RANGES: tuple[tuple[Pattern, _Compares], ...] = (
    (
        re.compile(
            rf"\bat least {_N}|\b{_N} (?:\w+ )?or (?:more|higher|better|greater|above)\b"
            rf"|\b(?:not|no) (?:{'|'.join(SMALLER)}) than {_N}"
        ),
        lambda value, limit: value >= limit,
    ),
    (
        re.compile(
            rf"\bat most {_N}|\b{_N} (?:\w+ )?or (?:less|fewer|lower|under|below)\b"
            rf"|\b(?:not|no) (?:{'|'.join(LARGER)}|older) than {_N}|\bup to {_N}"
        ),
        lambda value, limit: value <= limit,
    ),
    (
        re.compile(
            rf"{_NOT_DENIED}\b(?:(?:{'|'.join(LARGER)}|older) than"
            rf"|above|over|exceeding|exceeded|exceeds?) {_N}"
        ),
        lambda value, limit: value > limit,
    ),
    (
        re.compile(rf"{_NOT_DENIED}\b(?:(?:{'|'.join(SMALLER)}|younger) than|below|under) {_N}"),
        lambda value, limit: value < limit,
    ),
)
COMPARISONS: tuple[tuple[Pattern, _Compares], ...] = (
    *NUMBER_RANGES,
    (re.compile(rf"\bexactly {_N}|\bonly {_N}"), lambda value, limit: value == limit),
)
# A number that is a condition by itself; the words beside which it is not; and the questions in
# which it tells which rows are meant.
BARE_NUMBER = re.compile(rf"\d+|{'|'.join(_WORDS)}")
NOT_BARE_BEHIND = frozenset(
    "minimum maximum almost nearly about around as many or top first last of the these those which"
    " what least most over under than to between up exactly only".split()
)
NOT_BARE_BEFORE = frozenset("or to and plus + - more fewer less times years year".split())
ASKS_WHICH = re.compile(r"(?:which|who|what|name (?:all|the)|list)\b")
BETWEEN = re.compile(
    r"\b(?:between|from) (?P<n>\d{4}|\d[\d,.]*) (?:and|to|until|through) (?P<m>\d{4}|\d[\d,.]*)"
)
YEARS_TO = re.compile(r"\b(?P<n>\d{4}) (?:to|until|through) (?P<m>\d{4})\b")
# Of years, by a year on one side.
YEAR_RANGES: tuple[tuple[Pattern, Callable[[int, int], bool]], ...] = (
    (re.compile(rf"\b(?:not|no) later than {_YEAR}"), lambda year, limit: year <= limit),
    (re.compile(rf"\b(?:not|no) earlier than {_YEAR}"), lambda year, limit: year >= limit),
    (
        re.compile(rf"{_NOT_DENIED}\b(?:after|later than) {_YEAR}"),
        lambda year, limit: year > limit,
    ),
    (
        re.compile(rf"{_NOT_DENIED}\b(?:before|earlier than|prior to) {_YEAR}"),
        lambda year, limit: year < limit,
    ),
)
YEAR_RULES: tuple[tuple[Pattern, Callable[[int, int], bool]], ...] = (
    *YEAR_RANGES,
    (re.compile(rf"\bsince {_YEAR}"), lambda year, limit: year >= limit),
    (re.compile(rf"\b(?:until|by) {_YEAR}"), lambda year, limit: year <= limit),
    (
        re.compile(
            r"\b(?:in|during|of|for)(?: the)?(?: years?| seasons?)? (1\d{3}|20\d{2})\b(?!s)"
        ),
        lambda year, limit: year == limit,
    ),
    (
        re.compile(r"\b(?:in|during) the (1\d{2}0|20\d0)s\b"),
        lambda year, limit: limit <= year < limit + 10,
    ),
)
MOST = _words(
    "(?<!at )most", "highest", "largest", "greatest", "biggest", "longest", "tallest", "heaviest",
    "maximum", "top", "latest", "newest", "deepest", "widest", "furthest", "farthest", "fastest",
    "quickest", "most expensive", "dearest", "priciest", r"(?:do|did|does|fared?) best",
)  # fmt: skip
LEAST = _words(
    "(?<!at )least", "fewest", "lowest", "smallest", "shortest", "lightest", "minimum", "earliest",
    "oldest", "youngest", "cheapest", "slowest", "narrowest", r"(?:do|did|does|fared?) worst",
)  # fmt: skip
TIME_WORDS = _words("latest", "newest", "earliest", "oldest", "most recent", "most recently")
# Column names that a superlative without a noun refers to.
IMPLIED = {
    "longest": "length duration distance time", "tallest": "height",
    "highest": "height elevation", "heaviest": "weight mass",
    "shortest": "length height duration distance", "largest": "area size",
    "biggest": "area size", "smallest": "area size", "lightest": "weight mass",
    "deepest": "depth", "youngest": "age", "oldest": "age", "furthest": "range distance",
    "farthest": "range distance", "fastest": "speed", "slowest": "speed", "widest": "width",
    "narrowest": "width", "expensive": "price cost fee", "dearest": "price cost fee",
    "priciest": "price cost fee", "cheapest": "price cost fee", "quickest": "speed",
}  # fmt: skip
COUNT = re.compile(
    r"\b(?:how many|number of|amount of|total count of|count of)\b"
    r"(?: different| distinct| unique| total| of(?: the)?)*"
)
SUM = _words("total", "combined", "altogether", "in all", "sum(?: of)?", "together", "overall")
MEAN = _words("average", "mean")
DIFFERENCE = _words(
    "difference", r"how (?:many|much) (?:more|less|fewer|\w+er)", "by how (?:many|much)",
    r"how \w+ (?:more|fewer)",
)  # fmt: skip
# "Difference" as a question, not as part of a column's name.
DIFFERENCE_OF = re.compile(r"\bdifference (?:in|between)\b")
ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
NTH = _words(*ORDINALS, r"\d{1,2}(?:st|nd|rd|th)", "last", "final", "top", "bottom")
_ORDINAL = rf"(?:{'|'.join(ORDINALS)}|\d{{1,2}}(?:st|nd|rd|th))"
PLACED = re.compile(
    rf"\b(?:(?:came|comes?|finish(?:ed|es)?|ended up|placed|ranked|was|were|is|are)"
    rf" (?:in )?(?:the )?{_ORDINAL}(?: (?:place|position|rank))?(?= (?:in|of|at|on)\b|$)"
    rf"|in (?:the )?{_ORDINAL} (?:place|position|rank)\b)"
)
_COMING = r"(?:directly |immediately |right |comes? |came |listed |next |just )*"
AFTER = _words(rf"{_COMING}(?:after|following|succeeded|below|beneath)")
BEFORE = _words(rf"{_COMING}(?:before|preceding|preceded|prior to|above|previous to)")
# Of these, what is meant by place in the table, not in time.
BY_PLACE = _words("below", "beneath", "above", "listed")
EITHER = _words("or")
MORE = _words(*LARGER, "later", "newer", "most", "highest", "largest")
LESS = _words(
    *SMALLER, "earlier", "older", "sooner", "first", "least", "lowest", "fewest", "before"
)
FREQUENT = _words("appears?", "listed", "times", "often", "occurs?")
LISTED = _words("listed", "list", "table", "chart", "row", "entry", "top", "bottom", "on the")
WHO = re.compile(r"^(?:who|whom|whose)\b|\bby whom\b")
WHERE = _words("where")
WHEN = _words("when", "(?:what|which) (?:year|date|season)")
_PERSONS = (
    "name player athlete winner driver rider person member champion swimmer artist actor director"
    " candidate coach manager author president skater cyclist golfer wrestler king governor mayor"
).split()
_SITES = (
    "location venue place city country site stadium ground town state county region nation"
    " headquarters birthplace home"
).split()
PERSON_HEADER, PLACE_HEADER = _words(*_PERSONS), _words(*_SITES)
# Words that do not indicate rows or columns.
LIGHT = frozenset(
    (
        "won win wins winning score scored scores play played plays have finish finished receive"
        " received hold held get got earn earned take took taken list listed table chart total"
        " number there competed compete happen occurred occur name named names appear appeared"
        " represent represented come came did make made total only year also all during part"
        " record recorded show shown held go went according whose total were use used given put"
        " different every any last end amount value out up been include included type much each"
        " between than above over under below more less least most per within least same other"
        " does has have was were during currently ever available know known belong live located"
        " consecutive tell please give find out and or but while since if entry entries row rows"
        " item items based data time times reach reached feature featured ranked rank produce"
        " attain attained achieve achieved serve served become became born set two three both"
        " date day page article away count counted buy bought pay paid book booked booking"
    ).split()
)


def number_in(text: str) -> Fraction | None:
    """The first number of a text, in digits or words."""
    value = number_of(text) if NUMBER.search(text) else None
    return None if value is None or isinf(value) else Fraction(value).limit_denominator(10**6)


def nth_of(word: str) -> int:
    """The position of an ordinal, negative when counted from the end."""
    if word in ORDINALS:
        return ORDINALS.index(word) + 1
    if word in {"last", "final", "bottom"}:
        return -1
    return 1 if word == "top" else int(re.sub(r"\D", "", word))
