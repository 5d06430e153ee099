"""Rejects pages without content of their own: walls, parked domains and placeholders.

Each rule needs a phrase that such pages say to their visitor, on a page that says little else. An
article about captchas or Lorem ipsum has the phrases and much else, and stays.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from factmill.models.text.sentences import split_sentences
from factmill.schemas.errors import Rejected

# A wall that its title reveals may be long; one without is a few lines.
_MAX_CHARACTERS = 1000
_MAX_TITLED_CHARACTERS = 4000
# How many other words a page with a wall's phrases, or Lorem ipsum, may have.
_MAX_OTHER_WORDS = 40
_PLACEHOLDER_SHARE = 0.5
_WALL_TITLE = re.compile(
    r"(?:just a moment|one moment,? please|attention required!?|access denied|are you (?:a )?"
    r"(?:human|robot|bot)|(?:bot|browser|security|robot|human) (?:check|verification|challenge)"
    r"|pardon our interruption|making sure you['’]re not a bot!?|verify(?:ing)? (?:that )?you are"
    r" (?:a )?human|human verification|(?:403|401|429|503)(?: -)?(?: error)?(?: (?:forbidden"
    r"|unauthorized|too many requests|service (?:temporarily )?unavailable))?|ddos-guard|request"
    r" (?:blocked|rejected)|you have been blocked|sorry, you have been blocked"
    r"|checking your browser)[ .…!?]*(?:[|–—-].*)?",
    re.IGNORECASE,
)
# Phrases that indicate a wall only together with such a title.
_TITLED_WALL = re.compile(
    r"\bray id\b|\breference #?\s?\d|\bproof-of-work\b|\baggressively scraping\b"
    r"|\bthis process is automatic\b|\bforbidden\b|\bpermission\b|\bautomated\b|\bcloudflare\b",
    re.IGNORECASE,
)
# Sentences that a wall says to its visitor.
_WALL = re.compile(
    r"\bchecking (?:if the site connection is secure|your browser)\b"
    r"|\b(?:please |you (?:need|have) to |you must |to continue,? )(?:\w+ )?(?:enable|turn on|allow"
    r"|activate) (?:your )?(?:browser['’]s )?(?:java ?script|cookies)\b"
    r"|^enable (?:java ?script|cookies)\b|\bjava ?script (?:and cookies )?to continue\b"
    r"|\b(?:java ?script|cookies) (?:is|are|seems? to be|appears? to be) (?:currently )?(?:disabled"
    r"|required|not enabled|turned off|blocked)\b"
    r"|\b(?:requires|needs) (?:java ?script|cookies)\b|\bwithout java ?script\b"
    r"|\b(?:verify|verifying|confirm|prove|ensure|check|make sure) (?:that )?you(?:['’]re| are)"
    r" (?:a |not a )?(?:human|robot|bot|real person|visitor)\b"
    r"|\bare you (?:a )?(?:human|robot|bot)\b|\b(?:complete|solve) (?:the|this) captcha\b"
    r"|\byou (?:do not|don['’]t) have permission to (?:access|view)\b"
    r"|\byou(?:['’]ve| have) been blocked\b|\b(?:your|this) (?:request|access|ip(?: address)?)"
    r" (?:has been|was|is) (?:temporarily )?(?:blocked|denied|rejected)\b"
    r"|\baccess to this (?:page|site|resource|website)[^.]{0,60}\b(?:denied|blocked|forbidden)\b"
    r"|\bunusual (?:traffic|activity) from your\b|\bperformance (?:&|and) security by cloudflare\b"
    r"|\bbrowser will redirect to your requested content\b"
    r"|\byour browser is (?:not supported|out of date|outdated)\b"
    r"|\b(?:accept|reject|manage) all cookies\b"
    r"|\bwe (?:and our (?:\d+ )?partners )?(?:use|store)(?: and/or access)? (?:\w+ )?cookies\b"
    r"|\byour (?:cookie|privacy) (?:settings|choices|preferences)\b|\bwe value your privacy\b",
    re.IGNORECASE,
)
_PARKED = re.compile(
    r"\b(?:this|the) (?:premium )?domain(?: name)?\b[^.]{0,60}\b(?:(?:is|may be) for sale"
    r"|has expired|is parked|is available for purchase|is registered|has been registered)\b"
    r"|\b(?:buy|purchase|make an offer (?:on|for)|inquire about|acquire) (?:this|the) domain\b"
    r"|\b[a-z0-9-]+\.(?:com|net|org|info|de|io|co)\b (?:is|may be) for sale\b"
    r"|\bparked (?:free|domain|by|courtesy)\b|\bdomain (?:parking|owner maintain)",
    re.IGNORECASE,
)
_LOREM = ("lorem ipsum", "dolor sit amet")
# The words of Lorem ipsum and its usual continuations.
_PLACEHOLDER_WORDS = frozenset(
    "a ac accumsan ad adipiscing adipisicing aenean aliqua aliquam aliquet aliquid aliquip amet "
    "anim ante arcu at auctor aute autem bibendum blandit cillum commodo condimentum congue "
    "consectetur consectetuer consequat consequuntur convallis cras culpa cum cupidatat curabitur "
    "cursus dapibus deserunt diam dictum dictumst dignissim dis do dolor dolore dolorem "
    "doloremque donec dui duis ea efficitur egestas eget eiusmod eleifend elementum elit enim "
    "erat eros esse est et etiam eu euismod ex excepteur exercitation facilisi facilisis fames "
    "faucibus felis fermentum feugiat finibus fringilla fugiat fusce gravida habitant habitasse "
    "hac hendrerit iaculis id imperdiet in incididunt integer interdum ipsum irure justo labore "
    "laboris laborum lacinia lacus laoreet lectus leo libero ligula lobortis lorem luctus maecenas "
    "magna magnis malesuada massa mattis mauris maximus metus mi minim mollis mollit montes morbi "
    "mus nam nascetur natoque nec neque netus nibh nisi nisl non nostrud nulla nullam nunc "
    "occaecat odio officia orci ornare pariatur parturient pellentesque penatibus per pharetra "
    "phasellus placerat platea porta porttitor posuere potenti praesent pretium primis proident "
    "proin pulvinar purus quam qui quis quisque reprehenderit ridiculus risus rhoncus rutrum "
    "sagittis sapien scelerisque sed sem semper senectus sint sit sociis sociosqu sodales "
    "sollicitudin sunt suscipit suspendisse taciti tellus tempor tempus tincidunt torquent tortor "
    "tristique turpis ullamco ullamcorper ultrices ultricies urna ut varius vehicula vel velit "
    "veniam venenatis vestibulum vitae vivamus viverra voluptate volutpat vulputate".split()
)
_WORD = re.compile(r"[^\W\d_]+")


def reject_walls(title: str, text: str, others: Sequence[str]) -> None:
    """Raises Rejected for a page without content of its own. `others` are its tables and its data:
    a page that has any says something.

    `access_wall`: a bot check, a captcha, a refusal, a request for cookies or JavaScript.
    `parked_domain`: an offer of the address. `placeholder_text`: Lorem ipsum.
    """
    if _is_placeholder(text):
        raise Rejected("placeholder_text", "most words are those of Lorem ipsum")
    if others or len(text) > _MAX_TITLED_CHARACTERS:
        return
    short = len(text) <= _MAX_CHARACTERS
    titled = _WALL_TITLE.fullmatch(title) is not None
    if titled and (_WALL.search(text) or _TITLED_WALL.search(text)):
        raise Rejected("access_wall", title[:100])
    if short and _says_little_but(_WALL, text):
        raise Rejected("access_wall", title[:100])
    if short and _says_little_but(_PARKED, text):
        raise Rejected("parked_domain", title[:100])


def _is_placeholder(text: str) -> bool:
    """Whether most words are those of Lorem ipsum, with few others, so that no real lead is
    lost.
    """
    lowered = text.lower()
    if not any(phrase in lowered for phrase in _LOREM):
        return False
    words = _WORD.findall(lowered)
    others = len(words) - sum(map(_PLACEHOLDER_WORDS.__contains__, words))
    return others <= min((1 - _PLACEHOLDER_SHARE) * len(words), _MAX_OTHER_WORDS)


def _says_little_but(phrases: re.Pattern[str], text: str) -> bool:
    """Whether sentences with these phrases have most words of a text, with few others."""
    said = others = 0
    for start, end in split_sentences(text):
        words = len(_WORD.findall(text, start, end))
        if phrases.search(text[start:end]):
            said += words
        else:
            others += words
    return others <= min(said, _MAX_OTHER_WORDS) and said > 0
