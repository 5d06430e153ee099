"""Whether a description is one of a person: "an English actor", not "a song by an actor"."""

from __future__ import annotations

import re

PERSON_WORDS = re.compile(
    r"\b(?:actor|actress|singer|politician|player|footballer|writer|author|poet|painter|composer"
    r"|king"
    r"|queen|president|minister|scientist|physicist|chemist|engineer|architect|director"
    r"|(?<!industrial )(?<!oil )(?<!gas )producer|person|socialist|manager|arbiter|expert"
    r"|stakeholder|legend"
    r"|musician|rapper|lawyer|general(?=$| and)|bishop|priest|philosopher|historian|journalist"
    r"|artist|coach"
    r"|dancer|explorer|inventor|mathematician|astronomer|biologist|economist|novelist|wrestler"
    r"|swimmer|cyclist|boxer|songwriter|comedian|businessman|businesswoman|officer|soldier|sculptor"
    r"|captain|keeper|founder|teacher|professor|doctor|mayor|guitarist|drummer|screenwriter"
    r"|skier|driver"
    r"|cricketer|skater|golfer|pianist|violinist|judge|activist|diplomat|polymath|jurist|theologian"
    r"|philanthropist|statesman|lyricist|filmmaker|choreographer|photographer|illustrator"
    r"|translator"
    r"|scholar|athlete|sprinter|jockey|gymnast|physician|surgeon|senator|congressman|ambassador"
    r"|governor|chancellor|sociologist|psychologist|anthropologist|archaeologist|geologist|botanist"
    r"|educator|bassist|vocalist|goalkeeper|midfielder|quarterback|prince|princess|duke|admiral"
    r"|astronaut|missionary|abolitionist|playwright|essayist|columnist|instrumentalist|naturalist"
    r"|linguist|entrepreneur|presenter|broadcaster|banker|merchant|nobleman|saint|emperor|pope"
    r"|son|daughter|brother|sister|father|mother|wife|husband|widow|cousin|nephew|niece)s?\b"
)
# Endings of words for persons; they count only where they end the description.
_PERSON_ENDING = re.compile(
    r"\b(?:[a-z]{2,}(?:sman|swoman|ician|ologist|ographer)|person|citizen|man|woman|boy|girl|leader"
    r"|laureate"
    r"|chairman|chairwoman|skydiver|champion|winner|commander|secretary|attorney|employee|luger"
    r"|student|child|chair|reporter|clerk|bandmate|individual|teammate|widower|survivor"
    r"|addict|enthusiast|recipient|resident|immigrant"
    r"|orphan|detective|professional|dictator|conqueror|successor|predecessor|record-breaker)$"
)
_PROGRAM = re.compile(
    r"\b(?:package|window|file|task|password|content|memory|download|boot|text|code|image|process"
    r"|session|media|music(?! video)|(?<!music )video|audio|screen|document|project|version)[ -]"
    r"(?:manager|editor|player|driver|reader|writer|keeper|director)\b"
)
_HYPHENATED = re.compile(r"\b\d[\w]*-\w+")
_BEHIND_NOUN = re.compile(
    r"\b(?:by|of|in|from|about|for|with|on|at|to|written|directed|starring|(?<!-)based|who|that|which"
    r"|before|after|during|(?<!-)(?<!- )born)\b"
)


def is_person(description: str) -> bool:
    """Whether "an English actor" says so itself; "a song by an English actor" does not."""
    head = _BEHIND_NOUN.split(description.removeprefix("one of "), maxsplit=1)[0]
    # "a 3-player game" and "a package manager" are none.
    head = _PROGRAM.sub("", _HYPHENATED.sub("", head))
    return (
        PERSON_WORDS.search(head) is not None
        or _PERSON_ENDING.search(head.rstrip(" ,.")) is not None
    )
