"""Regular expressions for decomposable questions: choices, pairs, chains, and comparatives.

`local_decomposer` decides what a match means.
"""

from __future__ import annotations

import re

_WH = r"(?:which|who|what|whose|whom|where|when|how)"
_NAMED = r"(?-i:[^a-z\s])"  # begins with a capital or a digit, whatever the flags

# Which ..., A or B
CHOICES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"^(?P<stem>{_WH}\b[^,:;]*?)\s*[,:;-]\s*(?P<a>.+?),? (?-i:or) (?P<b>.+)$",
        r"^(?:was|is|did|were|are|does|do|has|have) (?P<a>.+?) or (?P<b>.+?) (?P<stem>(?:born|die"
        r"|died|released|founded|established|built|opened|published|formed|older|younger|the|come"
        r"|came|created|larger|smaller|taller|longer|higher)\b.*)$",
        rf"^(?P<stem>{_WH}\b(?!.*\bdifference\b).*?),? (?:out of|between|among)"
        rf" (?P<a>{_NAMED}.+?) (?:and|or) (?P<b>{_NAMED}.+)$",
        r"^(?P<stem>(?:which|who|what)\b(?-i:(?: [a-z0-9-]+)+)) "
        rf"(?P<a>{_NAMED}.+?) or (?P<b>.+)$",
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
    rf"(?P<a>{_OF_ONE}{_NAMED}.*?),? and (?P<b>.+?),? (?P<rest>{_SHARING})$",
    re.IGNORECASE,
)
SAME = re.compile(r"\bsame ([a-z]+(?: of [a-z]+)?)", re.IGNORECASE)

# When was the ... of A born
_VERB = (
    r"(?:born|die|died|study|studied|work|works|worked|graduate|graduated|buried|educated|live"
    r"|lived|from|released|detained|go|went|attend|attended|teach|taught|marry|married|imprisoned"
    r"|executed|killed|raised|located|based|founded|established|interred|come|grow|win|won|receive"
    r"|received|play|published|created|built|opened|formed|move|moved|become|became|start|started"
    r"|retire|retired|serve|served)"
)
FRAME = re.compile(
    r"^(?P<head>(?:when|where|why|how|in (?:which|what) \w+|(?:which|what) [a-z]+)"
    r" (?:did|was|were|is|are|does|do|has))"
    rf" (?P<np>.+?) (?P<vp>(?-i:{_VERB}(?: [a-z]+){{0,3}}))$",
    re.IGNORECASE,
)
# When was the painter of A born: roles that are not relations of their own
AGENT = re.compile(
    r"^(?P<head>(?:when|where|how|in (?:which|what) \w+|(?:which|what) [a-z]+)"
    r" (?:did|was|were|is|are|does|do|has)) the"
    r" (?P<role>(?-i:painter|discoverer|inventor|designer|architect|builder|sculptor|engineer|owner"
    r"|keeper|captain|manager|coach|mayor|president|leader|head|winner|editor|publisher|translator"
    r"|photographer|conductor|chair(?:man|woman)?|chef|brewer|curator)) (?:of|for)"
    rf" (?P<rest>(?:the )?{_NAMED}.*?) (?P<vp>(?-i:{_VERB}(?: [a-z]+){{0,3}}))$",
    re.IGNORECASE,
)
FROM = re.compile(
    r"^(?:which|what) (?:country|nation) (?:is |was )?(?P<np>.+?) (?:is |was |comes? )?from$",
    re.IGNORECASE,
)
NATIONALITY = re.compile(
    r"^(?:which|what) (?:nationality|country) (?:is|was|does|did) (?P<np>.+?)(?: have| hold)?$",
    re.IGNORECASE,
)
IS = re.compile(r"^(?:who|what|where|when|which) (?:is|was|were|are) (?P<np>.+)$", re.IGNORECASE)

# Something described instead of named: the keeper who saved the crew
_THING = (
    r"(?P<article>the|a|an) (?P<noun>(?-i:[a-z][a-z-]+)"
    r"(?: (?!(?:in|on|at|of|for|from|to|by|with)\b)(?-i:[a-z][a-z-]+))?)"
)
_RELATIVE = (
    r"(?P<relative>who|that|which)(?! (?:the|an?|his|her|its|their|he|she|it|they|you|we|I)\b)"
)
_DOES = r"(?P<head>(?:who|what|when|where|why|which|how)\b[^,]*? (?:did|does|do))"
DESCRIBED = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # How many people does the mill employ that ...; what does the man who ... do for a living
        rf"^{_DOES} {_THING} (?P<tail>(?-i:[a-z]+)) {_RELATIVE} (?P<clause>.+)$",
        rf"^{_DOES} {_THING} {_RELATIVE} (?P<clause>.+)"
        r" (?P<tail>(?-i:do(?: for a living)?|have|cost|weigh|hold|carry|earn))$",
        r"^(?P<head>(?:when|where|why|how|in (?:which|what) \w+|(?:which|what) [a-z]+)"
        rf" (?:did|was|were|is|are|does|do|has)) {_THING} {_RELATIVE}"
        rf" (?P<clause>.+) (?P<tail>(?-i:{_VERB}(?: [a-z]+){{0,2}}))$",
        r"^(?P<head>(?:when|where|why|how|in (?:which|what) \w+|(?:which|what) [a-z]+)"
        rf" (?:did|was|were|is|are|does|do|has)) {_THING} (?P<tail>(?-i:{_VERB}))"
        rf" {_RELATIVE} (?P<clause>.+)$",
        rf"^(?P<head>(?:who|what|when|where|which|how) .*?) {_THING} {_RELATIVE}"
        r" (?P<clause>.+)(?P<tail>)$",
    )
)
# Asks for nothing but what is described: "What is the name of the ship that ...?"
NAME_OF = re.compile(r"(?:what|which) (?:is|was) the name of", re.IGNORECASE)
# The name of somebody is asked for like who that is.
OF_NAME = re.compile(r"^the (?:full )?name of (?=.)", re.IGNORECASE)
# Has to be found first: "the father of the man who designed it".
IS_DESCRIBED = re.compile(rf"{_THING} {_RELATIVE} ", re.IGNORECASE)
# In a question for the name of a relative, before the relative.
ITS_NAME = re.compile(r"^what (is|was) the (?:full )?name of (?=.+ of$)", re.IGNORECASE)


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
