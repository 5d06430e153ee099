"""Yes-or-no questions that compare two things, as the choice between them.

    "Is Tarn Mill older than the Fell Bridge?"      Which is older, Tarn Mill or the Fell Bridge?
    "Was Ann Lee born before Bob Fry?"              Who was born earlier, Ann Lee or Bob Fry?
    "Does Elland have more people than Tarn?"       Which has more people, Elland or Tarn?

The answer is yes where the choice falls on the first one.
"""

from __future__ import annotations

import re

from factmill.models.answering.words.dates_and_numbers import DATE
from factmill.models.text.first_names import pronoun_of

_NAMED = r"(?:the )?(?-i:[^\W\d_a-z])"  # begins with a capital, after an article or not
_A, _B = rf"(?P<a>{_NAMED}.*?)", rf"(?P<b>{_NAMED}.+)"
_RULES = tuple(
    (re.compile(pattern, re.IGNORECASE), choice)
    for pattern, choice in (
        (rf"(?P<is>is|are|was|were) {_A} (?P<how>[a-z]+er) than {_B}", "{wh} {is} {how}"),
        (
            rf"(?P<is>was|were) {_A} (?P<did>(?-i:[a-z]+))(?P<when> before| earlier than) {_B}",
            "{wh} {is} {did} earlier",
        ),
        (
            rf"(?P<is>was|were) {_A} (?P<did>(?-i:[a-z]+))(?P<when> after| later than) {_B}",
            "{wh} {is} {did} later",
        ),
        (rf"did {_A} die (?:before|earlier than) {_B}", "who died earlier"),
        (rf"did {_A} die (?:after|later than) {_B}", "who died later"),
        (
            rf"(?:does|do|did|has|have|had) {_A} (?:have )?(?P<more>(?:more|fewer|less) [a-z ]+?)"
            rf" than {_B}",
            "which has {more}",
        ),
    )
)
_OF_PERSONS = re.compile(r"born|younger")


def claimed_choice(text: str) -> str:
    """The choice that a question without its question mark stands for, "" for another question."""
    for pattern, choice in _RULES:
        match = pattern.fullmatch(text)
        if match is None:
            continue
        if DATE.fullmatch(match["b"]):
            return ""
        asked = choice.format(wh="which", **match.groupdict()).lower()
        persons = asked.endswith(" older") and any(
            pronoun_of(one.split()[0]) for one in (match["a"], match["b"])
        )
        if persons or _OF_PERSONS.search(asked):
            asked = re.sub(r"^which\b", "who", asked)
        b = re.sub(r" (?:did|does|do|was|were|is|are|has|have)$", "", match["b"])
        return f"{asked[0].upper()}{asked[1:]}, {match['a']} or {b}?"
    return ""
