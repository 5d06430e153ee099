"""Regular expressions for questions about what is not named but described: by relations, by what
somebody did, by a clause.

`local_decomposer` decides what a match means.
"""

from __future__ import annotations

import re

NAMED = r"(?-i:[^a-z\s])"  # begins with a capital or a digit, whatever the flags

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
    rf" (?P<rest>(?:the )?{NAMED}.*?) (?P<vp>(?-i:{_VERB}(?: [a-z]+){{0,3}}))$",
    re.IGNORECASE,
)
FROM = re.compile(
    r"^(?:which|what) (?:country|nation) (?:is |was )?(?P<np>.+?) (?:is |was |comes? )?from$",
    re.IGNORECASE,
)
# What is the award that the director of A won
OBJECT = re.compile(
    r"^(?:which|what) (?:(?:is|was) the )?(?P<noun>(?-i:[a-z]+)) (?:that |which )?"
    r"(?P<np>(?:the )?(?-i:[a-z][a-z-]+) .+?|.+['’]s (?-i:[a-z-]+))"
    r" (?P<verb>(?-i:won|received|got|earned|founded|wrote|attended|owned|ran|built|held|led))$",
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
