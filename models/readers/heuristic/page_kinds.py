"""What the kind of a page says of its sentences: what its title names, and which of them are talk.

A forum's title is what somebody asked, and a listing's or a collection's names a group: neither
says what "the program" is. In a forum each post is somebody's, whom no sentence names: what judges,
guesses or tells what happened to him is no fact without him. So it is with what customers say on
the pages of shops and companies.

| fault | meaning |
|---|---|
| `talk` | somebody who is not named judges, guesses or answers; a shop praises or calls |
"""

from __future__ import annotations

import re

from factmill.models.readers.heuristic.lexicon import AUXILIARIES, Word, tense_of, words_of

FORUM = "forum"
# Kinds whose titles are no names of what their sentences are about.
_UNNAMED = frozenset(("forum", "listing", "collection"))
# Kinds that sell something.
_SELLING = frozenset(("product", "collection", "listing", "service"))
_REVIEWS = re.compile(
    r"\b(?:reviews?|testimonials?|feedback)\b"
    r"|\b(?:customers?|clients?|people|students?|users?|members?|patients?|others|they|guests)\b"
    r".{0,12}\b(?:say|says|saying|said|think|tell|love)\b",
    re.IGNORECASE,
)
# Words of judgements, of guesses and of answers to the post before.
_TALK = frozenset(
    "actually afaik agree agreed amazing amazingly anybody anyhow anyone anything anyway "
    "apparently awesome awful bad badly basically beautiful beautifully best better bloody boring "
    "breeze brilliant cheap cheaper cool crap crazy damn decent definitely easier easily "
    "especially everybody everyone everything excellent fantastic favorite favourite fine frankly "
    "fun funny garbage glad good gorgeous great guess guessing guy guys happier happy hate hell "
    "honestly hope hopefully horrendous horrible ideal impressive indeed interesting irrelevant "
    "kinda lame likely literally lol lot lots love lovely luckily maybe meh nah nice nicely nicer "
    "nobody nothing ok okay op perfect perfectly perhaps personally pretty probably quite really "
    "ridiculous right sadly say seem seems seriously silly simply somebody someone something "
    "sorry stuff stunning stupid super supposedly sure surely surprised terrible thankfully "
    "thanks though thought thoughts totally ugly unfortunately unusable weird whatever wonderful "
    "worse worst worth wow wrong yay yeah yep yes".split()
)
# "thumb up" of one word that has another meaning within a name or a phrase.
_NO_TALK = re.compile(
    r"\b(?:[Bb]est Buy|at best|most likely|more likely|likely to|right(?:s|-hand| side| to)"
    r"|Super [A-Z]|nothing but|a lot of [a-z]+s)\b"
)
_POST = re.compile(
    # "The whole job was": it happened to whoever wrote the post.
    r"(?:The|A|An|My|Our) (?:whole |main |only |other |more |new |old )*"
    r"(?:job|thing|problem|issue|point|idea|difference|manual|guy|kit|thread|post|poster|answer"
    r"|solution|question|reason)\b"
    r"|(?:There|More|If|Discussion in|Anyways?|New replies|Using|Living|Having|Being|Left|[“\"])"
    r"|.*\?|.*\b(?:that|this) (?:size|way|kind|case)\b"
    # Advice, forecasts and comparisons are somebody's.
    r"|.*\b(?:should|would|will|must|may|might|could|ought|need to|needs to|going to|started by)\b"
    r"|(?!.*\bthan\b).*\b(?:more|less)\b(?! than| of)"
    r"|.*\b(?:thread|threads|post above|this forum|YT|works? (?:well|for|fine))\b"
    # "there's no need", "not sure so", "wouldn't"
    r"|.*\b(?:there['’]s|it['’]s|that['’]s|what['’]s|who['’]s|wouldn['’]t|shouldn['’]t|gonna|wanna"
    r"|not sure)\b"
    # "is not ready yet", "may become big again"
    r"|.* (?:yet|again|too|now|anymore|either|either way|though|already)\.$"
)
# In a post they may mean what any post before named.
_THIRD = frozenset("he she it they him them his their theirs its one ones".split())
# A short sentence of a post leans on the post before, unless it defines.
_FEWEST_WORDS = 9
_DEFINES = re.compile(r"(?:[\w-]+ ){1,4}(?:is|are|was|were) (?:an?|the|one of)\b")
# What such a page asks its visitor to do; none of these begins a name.
_CALLS = frozenset(
    "accelerate access activate amplify analyze authenticate capture centralize collaborate "
    "consolidate convert deliver diagnose discover eliminate embrace empower engage enhance "
    "enrich expand explore fuel gain harness identify ignite inspire join launch leverage "
    "maximize minimize mitigate modernize navigate nurture orchestrate organize personalize "
    "pinpoint prevent publish reimagine rethink revive secure simplify streamline supercharge "
    "tailor transform uncover unify unleash unlock unwind validate visualize".split()
)
# Verbs that no plural noun looks like.
_PREDICATES = frozenset(
    "adapts adds adjusts allows attaches avoids boosts brings captures cleans collects combines "
    "comes converts creates cuts delivers detects drives eliminates empowers enables encourages "
    "enhances ensures features fits gets gives goes handles helps holds improves keeps knows "
    "learns leaves lets locks looks maintains makes maximizes meets monitors offers organizes "
    "prevents produces promotes protects provides pulls reduces removes replaces requires "
    "restores runs saves scrubs simplifies soothes speeds streamlines supports takes tells "
    "transforms turns unlocks uses vacuums works".split()
)
_PRAISE = re.compile(
    r"(?:[^,;:]{1,40}) (?:is|are|was|were|has been|have been) (?:(?:a|an|the|so|very|truly|always"
    r"|simply|just|really|absolutely|such|totally) ){0,3}"
    r"(?:great|amazing|awesome|fantastic|wonderful|excellent|perfect|outstanding|incredible|endless"
    r"|unmatched|unparalleled|limitless|priceless|stunning|gorgeous|lovely|superb|second to none"
    r"|must|must-have|breeze|major plus|plus|game[- ]changer|different|important|everything|key"
    r"|a must|worth it|real)(?: to [a-z]+(?: [a-z]+)?)?[.!]$"
    # "which is great", "Trusted by 5,000 teams."
    r"|.*\b(?:which|that) is (?:so |really |just )?(?:great|amazing|awesome|nice|fantastic)\b.*"
    r"|(?:Recogni[sz]ed|Trusted|Loved|Used|Backed|Powered|Built|Designed|Made|Engineered|Rated|Named"
    r"|Chosen) (?:by|for|with|from|to|in|as)\b(?!.*, (?:the |an? |its |it |[A-Z][a-z])).*"
)


# "Noise cancelling headphones Our category includes": the heading of a card runs into it.
_HEADED = re.compile(r"[a-z] (?:Our|Your|We|You) [a-z]")


def title_names_subject(kind: str) -> bool:
    """Whether the title of a page of this kind may name what its sentences are about."""
    return kind not in _UNNAMED


def quotes_customers(heading: str, kind: str) -> bool:
    """Whether what stands below a heading is what customers of a shop or company said."""
    return kind in _SELLING and _REVIEWS.search(heading) is not None


def talk_fault(text: str, kind: str) -> str:
    """`talk` where a sentence of such a page is no fact without who said it, or ""."""
    if kind == FORUM:
        bare = _NO_TALK.sub("", text)
        words = words_of(bare)
        judged = any(word.low in _TALK or word.low in _THIRD for word in words)
        short = len(words) < _FEWEST_WORDS and not _DEFINES.match(text)
        return "talk" if judged or short or text.endswith("!") or _POST.match(text) else ""
    if kind in _SELLING and (
        _PRAISE.fullmatch(text) or _HEADED.search(text) or _lacks_subject(words_of(text))
    ):
        return "talk"
    return ""


def _lacks_subject(words: tuple[Word, ...]) -> bool:
    """ "Access 500 models", "Easily validate numbers", "Cleans dirtier spots": a call, or what a
    product does below its name."""
    if len(words) > 2 and words[0].low.endswith("ly"):
        words = words[1:]
    first, second = words[0].low, words[1] if len(words) > 1 else words[0]
    if second.low in AUXILIARIES or second.low in {"of", "and", "or", "in", "for", "from"}:
        return False
    if first.endswith("ing") and not any(
        word.low in AUXILIARIES or tense_of(word) for word in words[1:]
    ):
        return True  # "Helping to fix serious issues for homeowners."
    if first in _PREDICATES:
        return not (second.capital or tense_of(second))
    return first in _CALLS and not any(word.low in AUXILIARIES for word in words[1:4])
