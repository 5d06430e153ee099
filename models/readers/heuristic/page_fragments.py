"""Text between the statements of web pages: notices, headings run into text, and judgements about
something named in the sentence before.
"""

from __future__ import annotations

import re

_NOTICE = re.compile(
    r"\bcookies?\b.{0,80}\b(?:consent|disabled|enabled|browser|website|visitors?|this site)\b"
    r"|\b(?:browser|website|consent|stores?)\b.{0,80}\bcookies?\b"
    r"|\b[Cc]onsent\b.{0,60}\bfeatures\b|\bJavaScript is (?:disabled|required)\b"
    r"|\bsubject to change\b|\bwithout (?:prior )?notice\b|\b[Rr]ights [Rr]eserved\b"
    r"|\bpurchas(?:e|ing) decisions?\b|\b(?:does|do|shall) not constitute\b"
    r"|\breserves? the right\b|\bTerms (?:&|and) Conditions\b"
    r"|\b(?:[Aa]vailability|[Cc]ompatibility|[Pp]ricing|[Pp]rices|[Cc]olou?rs?|[Ff]eatures?)"
    r" (?:\w+ ){0,6}(?:may vary|varies|vary)\b|^Users may (?:need|have) to\b"
    r"|\b(?:is|are) not guaranteed\b|^Results may vary\b|\btrademarks? of\b"
    r"|^Wikimedia Commons has media\b|^(?:Retrieved|Accessed|Archived) (?:\w+ )?\d"
    r"|\bmay not be (?:available|compatible)\b|\bat (?:our|their|its) (?:sole )?discretion\b"
)
_HEADED = re.compile(
    # "Adult Health Services The Adult Health unit offers"
    r"(?:[A-Z][\w'’&-]*\s){3,}(?:The|This|These|An?|Our|In|For|If|When|With)\s"
    r"(?:[A-Z][\w-]*\s){0,5}[a-z]"
    # "MOD EVERYTHING From the ground up"
    r"|(?:[A-Z]{3,}\s){2,}[A-Z][a-z]+\s"
    # "NIS2 Readiness Advisory NIS2 has been released"
    r"|(?P<again>[A-Z][\w-]{2,})(?: [A-Z][\w-]*){1,4} (?P=again) (?:is|was|has|have|are|offers)\b"
    # "on the podcast Save 10% on"
    r"|.*\b[a-z]+ (?:Save|Shop|Learn|Buy|Discover|Explore|Join)"
    r" (?:\d|more\b|our\b|your\b|now\b|the\b)"
)
_JUDGES = re.compile(
    # "The answer is yes", "An alternative is"
    r"(?:A|An|The|Another) (?:[\w-]+ ){0,3}?(?:example|exception|alternative|answer|advantage"
    r"|disadvantage|choice|benefit|drawback|downside|upside|catch|trick|goal|outcome|bottom line"
    r"|good news|bad news|best part|rule of thumb|takeaway)\s(?:is|was|would|may|might|can)\b"
    # "It is the perfect substitute."
    r"|.*\b(?:an?|the|that|just the) (?:single|perfect|ideal|right|best|great|good|excellent"
    r"|must-have|worthy|viable) (?:[\w-]+ )?(?:solution|choice|option|fit|substitute|alternative"
    r"|amount|place|pick|way|match|answer|time|spot|addition)\.$"
    r"|.*\bis that [a-z]+ [a-z]+\.$|.*\bwould be (?:\w+ )?appreciated\b"
    # "Such a choice is a much slower process.", "a slightly different view."
    r"|.*\ba (?:much|slightly|somewhat|little|bit) (?:[a-z]+er|different|similar|more [a-z]+"
    r"|less [a-z]+) [a-z]+\.$|.*\b(?:goes beyond,|that way\b|(?:also|is) nearby\.$)"
    # "At the end of it, the team"
    r"|(?:At|After|Before|By|For|In|Since|To|With)\b[a-z ]{0,30} (?:it|them|this|that), "
    r"|Each (?:one|is|has|was)\b|The (?:first|second|third|last|next) (?:is|was|one)\b"
    r"|.*\bboth [a-z]+ [a-z]+s (?:with|in|by|from|for)\b(?!.* and )"
    # The content is elsewhere.
    r"|(?:More|Further|Additional) (?:details?|information|background|examples?)\b.*"
    r" (?:is|are|can be found) (?:at|in|on|available|provided|given)\b"
    # "As Tom Hale reports, she is"
    r"|As [A-Z][^,]{2,60} (?:reports?|reported|says|said|writes|wrote|notes|noted|explains"
    r"|explained|puts it), (?:he|she|it|they)\b"
    # "1 has already sold"
    r"|\d{1,3} (?:has|have|left|sold)\b"
)


# Sections that name where others say something.
_LISTS_OF_SOURCES = frozenset(
    "references|footnotes|external links|further reading|citations|works cited|see also"
    "|notes and references".split("|")
)
# Below these a page of English may also explain itself.
_MAY_LIST_SOURCES = frozenset(
    "notes|sources|note|bibliography|literatur|weblinks|einzelnachweise|références"
    "|notes et références|liens externes|referencias|enlaces externos|collegamenti esterni"
    "|externe links|referências|ligações externas".split("|")
)


def lists_sources(heading: str, english: bool) -> bool:
    """Whether the section below a heading holds references and links, and states nothing.
    `english`: the language of the section."""
    named = heading.strip(" :").lower()
    return named in _LISTS_OF_SOURCES or (not english and named in _MAY_LIST_SOURCES)


def is_notice(text: str) -> bool:
    """Whether the text is a site's notice: cookies, consent, changes of terms."""
    return _NOTICE.search(text) is not None


def has_heading(text: str) -> bool:
    """Whether a heading or a link text runs into the sentence."""
    return _HEADED.match(text) is not None


def judges_unnamed(text: str) -> bool:
    """Whether a judgement or an example omits what it is about."""
    return _JUDGES.match(text) is not None
