"""Regular expressions for questions that compare two options, and for what they compare by.

`comparing_questions` decides what a match means.
"""

from __future__ import annotations

import re

from factmill.models.answering.decomposing.question_frames import NAMED

_WH = r"(?:which|who|what|whose|whom|where|when|how)"

# Which ..., A or B
CHOICES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"^(?P<stem>{_WH}\b[^,:;]*?)\s*[,:;-]\s*(?P<a>.+?),? (?-i:or) (?P<b>.+)$",
        r"^(?:was|is|did|were|are|does|do|has|have) (?P<a>.+?) or (?P<b>.+?) (?P<stem>(?:born|die"
        r"|died|released|founded|established|built|opened|published|formed|older|younger|the|come"
        r"|came|created|larger|smaller|taller|longer|higher)\b.*)$",
        rf"^(?P<stem>{_WH}\b(?!.*\bdifference\b).*?),? (?:out of|between|among)"
        rf" (?P<a>{NAMED}.+?) (?:and|or) (?P<b>{NAMED}.+)$",
        r"^(?P<stem>(?:which|who|what)\b(?-i:(?: [a-z0-9-]+)+)) "
        rf"(?P<a>{NAMED}.+?) or (?P<b>.+)$",
    )
)
# Are A and B of the same ...
_GROUP = (
    r"(?:both|the|of|directors? of|films?|movies?|songs?|people|mountains?|rivers?|bands?|books?"
    r"|novels?|albums?|lakes?|islands?|towns?|villages?|cities|,| )"
)
_OF_ONE = r"(?:(?:the )?[a-z-]+ of (?:the )?(?:film |song |movie )?)?"
_SHARING = (
    r"(?-i:(?:films |movies )?(?:both |all |also )?(?:located|from|of the same|share|born|have|has"
    r"|originate|in the same|come|die|died|the same|based|situated|directed|released|founded|made"
    r"|produced|belong|live|work|play|found|headquartered|native|buried|citizens|set)\b.*)"
)
PAIR = re.compile(
    rf"^(?:are|were|do|did|is|was|does|have|has) (?P<before>{_GROUP}*?)"
    rf"(?P<a>{_OF_ONE}{NAMED}.*?),? (?-i:and) (?P<b>.+?),? (?P<rest>{_SHARING})$",
    re.IGNORECASE,
)
SAME = re.compile(r"\bsame ([a-z]+(?: of [a-z]+)?)", re.IGNORECASE)


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)


ROLE = _words(
    "(director|performer|singer|composer|author|writer|producer|founder|creator|screenwriter)s?"
)
LATER = _words(
    "later|latest|last|younger|youngest|more recent(?:ly)?|most recent(?:ly)?|newer|newest|after"
)
EARLIER = _words("first|earlier|earliest|older|oldest|before|sooner")
GREATER = _words(
    "more|larger|bigger|greater|higher|taller|longer|most|largest|biggest|highest|tallest|longest"
    "|greatest|wider|deeper|heavier|heaviest|faster|fastest|dearer|costlier|more expensive"
)
LESSER = _words(
    "less|fewer|smaller|lower|shorter|fewest|smallest|lowest|shortest|least|narrower|lighter"
    "|slower|cheaper|less expensive"
)
# Compares by what is not known: "Which is colder, A or B?"
UNKNOWN_COMPARISON = re.compile(
    r"(?:which|what|who)(?: \w+)? (?:is|was|are|were) (?:the )?\w{2,}(?:er|est)\W*$", re.IGNORECASE
)
# What is between two things, which is no choice: "Which train runs between A and B?" Behind a comma
# it is one.
BETWEEN = re.compile(r" between (?!.* or ).+ and ", re.IGNORECASE)
LIVED_LONGER = _words("lived? (?:a )?longer|longer (?:life|lived)")
DIED = _words("died?|death|passed away")
# Asks of things, not of persons: "Which is older, A or B?"
WHICH_IS = re.compile(r"(?:which|what) (?:is|was)\b", re.IGNORECASE)
NOT_FOUNDED = _words("born|birth|younger|youngest|released?|published|premiered|aired|came|come")
BORN = _words("born|birth|older|younger|oldest|youngest")
FOUNDED = _words(
    "founded|established|created|opened|built|formed|constructed|started|began|launched|completed"
)
COUNTED = _words("(?:more|fewer|most|fewest|less) ([a-z]+(?: [a-z]+)?)")
MEASURED = _words(
    "(?:larger|greater|higher|lower|smaller|highest|largest) (?!than|in|by|of)([a-z]+)"
)
COSTS = _words("cheaper|dearer|costlier|expensive")
WEIGHS = _words("heavier|heaviest|lighter")
MOVES = _words("faster|fastest|slower")
ADJECTIVE = _words("(tall|long|high|large|big|small|short|wide|deep)(?:er|ger|est|gest)?")
LOCATED = _words("located|situated|based|in the same|found")
