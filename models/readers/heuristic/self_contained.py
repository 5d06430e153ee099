"""Whether a statement of English can be read by itself: it names what it is about.

| fault | meaning |
|---|---|
| `speaker` | somebody speaks of himself or to the reader: "we", "you" |
| `open_reference` | a pronoun, or "the film", without what it stands for |
| `relative_time` | "yesterday", "last year": depends on when it was written |
| `cut_short` | a quotation or a bracket is not closed, or nothing is said but a quotation |
| `notice` | a site says how it may be used: cookies, consent, changes of its terms |
| `no_entity` | names nothing, and nothing that title or heading speak of |

`no_entity` is not a fault on a page whose title is a name: the title says what "the tower" is. What
stands in quotation marks is somebody's words and is not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from factmill.models.readers.heuristic.definite_references import has_open_definite
from factmill.models.readers.heuristic.lexicon import (
    AUXILIARIES,
    MONTH,
    Word,
    stem,
    tense_of,
    words_of,
)
from factmill.models.readers.heuristic.page_fragments import (
    has_heading,
    is_notice,
    judges_unnamed,
)
from factmill.models.readers.heuristic.person_nouns import is_person
from factmill.models.readers.heuristic.speakers import has_speaker
from factmill.models.text.function_words import FUNCTION_WORDS

_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|‘[^’]{3,}’(?!\w)|(?<!\w)'[^']{3,}'(?!\w)")
# A sentence that ends in a quotation, with the next one right behind it: 'he says."But the'.
_GLUED = re.compile(r"[a-z][.!?][\"”](?=[\"“]?[A-Z][a-z])")
_WEEKDAY = r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
_SPAN = (
    r"(?:week|weekend|month|year|night|season|summer|winter|spring|fall|autumn|century|decade"
    r"|quarter"
    rf"|few|several|two|three|time|generation|day|{_WEEKDAY}|January|February|March|April|May"
    rf"|June|July"
    r"|August|September|October|November|December)"
)
_NUMBER = r"(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|few|several|couple of)"
_RELATIVE_TIME = re.compile(
    rf"\b(?:yesterday|today|tonight|tomorrow|ago|nowadays|recently|right now|from now|so far"
    rf"|at the moment"
    rf"|(?:this|last|next|past|coming|that|the previous|the following) (?:{_NUMBER} )?{_SPAN}s?"
    rf"|(?:in|over) recent {_SPAN}s?"
    rf"|these days|the (?:same|previous|following|next) {_SPAN}|earlier this|later this"
    rf"|of the (?:week|month|year|day))\b",
    re.IGNORECASE,
)
# "on Tuesday", but "on Tuesday, 3 May", "Good Friday" and "on Tuesdays" say which.
_DAY_ALONE = re.compile(
    rf"(?<!Black )(?<!Good )(?<!Super )(?<!Cyber )(?<!every )\b{_WEEKDAY}\b"
    rf"(?!,? (?:the )?(?:\d|(?:{MONTH}|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b))"
)
_REFERS = re.compile(
    r"\b(?:this|these|those(?! who| that| with| of| in)|here|hereby"
    r"|(?:above|below)(?! (?:(?:the|an?|it|sea)\b|\d|(?-i:[A-Z])))"
    r"|the latter|respective|the same(?! name\b)|such(?! as)|the other|the others|the rest|the two"
    r"|the three|the pair"
    r"|the duo|the trio|the couple|both of"
    r"|both [a-z]+s\b(?! (?:[\w-]+ ){0,4}and\b)|as follows"
    r"|see (?:also|the|figure|table|section)|click|"
    r"(?:covered|described|discussed|explained|documented|shown|listed) in|the following"
    r"|aforementioned|mentioned)\b",
    re.IGNORECASE,
)
# Demonstrative "that", not the conjunction.
_THAT = re.compile(
    r"(?:^That\b|\b(?i:at|in|of|by|for|from|with|to|on|after|before|since|during|like|about"
    r"|all|into|under|without|against) that\b"
    r"|\bthat['’]s\b|\b(?:do|does|did|doing) that\b|, that (?:is|was)\b|\bthat (?:is|was) (?:why"
    r"|how|what|when))"
)
# "needed to win that game", "led that company as"; not "said that company cars".
_THAT_NOUN = re.compile(
    r"\bthat (?:company|firm|film|movie|game|match|team|season|year|album|song|book|series|show"
    r"|deal|report|study|event)(?=[.,;]|\s(?:as|in|at|for|on|with|and|to)\b)"
)
_OPENS_ELSEWHERE = re.compile(
    r"(?:Both|Another|Others?|Such|Same|Neither|Either|Each|Some|Several|Few|Many|Most|All|None"
    r"|One|Two"
    r"|Three|Four|Five|Six|Seven|Eight|Nine|Ten|Then|There(?:after|fore|by)|Later|Soon"
    r"|Afterwards|Next"
    r"|Finally|Elsewhere|Instead|Rather(?! than)|Otherwise"
    r"|Nevertheless|Nonetheless|Still|Again|Also|Too|Similarly"
    r"|Likewise|Conversely|Subsequently|Eventually|Meanwhile|Today|Now|Once|First|Second|Third"
    r"|Last|Lastly"
    r"|Secondly|Thirdly|Firstly|At (?:first|the time|times|that|age|one|least)|After (?:that|all"
    r"|which)"
    r"|By (?:then|contrast|comparison|that)|For comparison"
    r"|In (?:contrast|comparison|turn|response|return|short|that|all"
    r"|any|both|other|the"
    r" (?:same|meantime|end|process|latter|former|next|following))|As (?:a result|such|well|of"
    r"|for|an example|the)"
    r"|On (?:the (?:other|one|contrary|same|next)|average|top)|With (?:that|the|its|his|her"
    r"|their|all))\b(?!-)"
)
_OPENED_WHOLE = re.compile(
    r"(?:Some|Several|Few|Many|Most|All|One|Two|Three|Four|Five|Six|Seven|Eight|Nine|Ten|None"
    r"|Each)\s"
    r"(?!of (?:the|these|those|them|his|her|its|their)\b)(?:[\w’'-]+\s){1,4}?"
    r"(?:in|of|from|at|on)\s(?:the\s)?[A-Z]"
    r"|One of the\s(?:[\w’'-]+\s){1,6}?(?:in|of|from)\s"
    r"|(?:Many|Most|Some|Several)\s[a-z]+s\s"
)
_PERSONAL = frozenset("he him his himself she her hers herself".split())
_OTHERS = frozenset("it its itself they them their theirs themselves".split())
_THIRD = (
    _PERSONAL | _OTHERS | {"it's", "it’s", "he's", "he’s", "she's", "she’s", "they're", "they’re"}
)
# What "they" may mean without an s.
_SEVERAL = frozenset(
    "and people men women children police staff team company government family audience public "
    "media everyone nobody anyone someone anybody somebody everybody whoever those many most some "
    "few both several all band crew group couple data mice feet teeth fish sheep".split()
)
# Each way to refer to a time or to what was said before has one of these words.
_TIES = frozenset(
    "yesterday today tonight tomorrow ago nowadays recent recently now far moment this last next "
    "past coming that that's that’s previous following these same earlier later monday "
    "tuesday wednesday thursday friday saturday sunday those here hereby above below "
    "former latter respective such other others rest two three pair duo trio couple "
    "both as see click aforementioned mentioned days".split()
)
# "A member of the party, he served", "In the war, she was"; not "When the war began, she was".
_BEHIND_FRONT = re.compile(
    r"(?!(?:When|While|If|Although|Though|Because|Once|Unless|Where|Whereas)\s(?:[A-Z]|the\b|an?\b)"
    r"|(?:Until|Since|As|After|Before)\s[A-Z])[A-Z“\"(][^,;]{2,200},\s(?:he|she|it|they)\b"
)
# "On his second day, Carter pardoned"; not "With his brother, Lord Stewart, he embarked".
_CATAPHORA = re.compile(
    r"(?:In|On|At|For|After|Before|During|With|By|Despite|Throughout|Following|Until|Since"
    r"|Under)\s(?:[\w-]+\s){0,2}?"
    r"(?:his|her|its|their)\s[^,.;]{2,60},\s(?![^,;]{2,60},\s(?:he|she|it|they)\b)"
    r"(?:the\s)?[A-ZÀ-ÖØ-Þ]"
)
# A place that was named before; not "there is".
_THERE = re.compile(
    r"(?<=\w )there\b(?!\s(?:is|are|was|were|has|have|had|will|would|can|could|may|might|must"
    r"|should"
    r"|seems?|remains?|exists?)\b|['’])"
)
# Words of titles that tell nothing of what a sentence is about.
_COMMON = frozenset(
    "best top guide review reviews news tips ways things complete ultimate need know "
    "what your more make find work works start year years time people good great free "
    "online home list page part different important explained everything beginners".split()
)
# "In May, Lumen sold", "In January alone": of which year? "In May 1990" says so.
_MONTH_ALONE = re.compile(rf"In {MONTH}(?:,| alone\b)(?!.*\b[12]\d{{3}}\b)")
# What no page is about: "the role" is one that was spoken of before.
_NO_PAGE = re.compile(
    r"\b[Tt]he (?:role|stuff|position|post|decision|move|announcement|proposal|incident|mixture"
    r"|dough"
    r"|idea|result|results|situation|problem|issue|difference|change|changes)\b"
    r"(?! (?:of|in|as|that|which|to|for|at|from|between|with)\b)"
)
_UNNAMED_SPEAKER = re.compile(
    r"(?:A|An|One) (?:[\w-]+ ){0,3}?(?:spokes\w+|official|source|insider|reviewer|customer|user"
    r"|reader"
    r"|commenter|neighbou?r|witness|relative)\b"
)


def reference_fault(
    text: str, about: str, named_page: bool, around: str = "", called: Collection[str] = ()
) -> str:
    """Why the statement cannot be read by itself, or "". `about` is the name of what it is about,
    as far as it is known; `called` are nouns for it, behind "the". `named_page`: the page's title
    is a name, which says what "the film" means. `around`: title and heading, whose words are
    known."""
    if text.count('"') % 2 or text.count("“") != text.count("”") or _open_bracket(text):
        return "cut_short"
    bare = _QUOTED.sub("Quoted", text) if any(mark in text for mark in "\"“'‘") else text
    if bare.strip(".! ") == "Quoted" or _GLUED.search(text):
        return "cut_short"
    fault = _fault_of(bare, named_page, around, called)
    if fault and len(about) > 3 and about.lower() in bare.lower():  # "You Only Live Twice is"
        hidden = re.sub(re.escape(about), "Name", bare, flags=re.IGNORECASE)
        fault = _fault_of(hidden, named_page, around, called)
    if fault:
        return fault
    if has_heading(text) and not text.startswith(about or "\n"):
        return "cut_short"
    return "notice" if is_notice(bare) and not is_notice(around) else ""


def _fault_of(bare: str, named_page: bool, around: str, called: Collection[str]) -> str:
    """Of a text without quotations."""
    words = words_of(bare)
    lows = {word.low for word in words}
    tied = not lows.isdisjoint(_TIES) or "day's" in bare or "day’s" in bare
    if has_speaker(bare, lows):
        return "speaker"
    if tied and (_RELATIVE_TIME.search(bare) or _DAY_ALONE.search(bare)):
        return "relative_time"
    if _MONTH_ALONE.match(bare):
        return "relative_time"
    if tied and (_REFERS.search(bare) or _demonstrates(bare) or _former_alone(words)):
        return "open_reference"
    if _BEHIND_FRONT.match(bare) or (words[0].low == "there" and not _names_behind(words)):
        return "open_reference"
    name_follows = _CATAPHORA.match(bare)
    if _OPENS_ELSEWHERE.match(bare) and not (_OPENED_WHOLE.match(bare) or name_follows):
        return "open_reference"
    if "there" in lows and _THERE.search(bare):
        return "open_reference"
    if not lows.isdisjoint(_THIRD) and not name_follows and _pronoun_before_noun(words):
        return "open_reference"
    if _NO_PAGE.search(bare) or judges_unnamed(bare) or _UNNAMED_SPEAKER.match(bare):
        return "open_reference"
    if not named_page and has_open_definite(bare, words, around, called):
        return "open_reference"
    return ""


def names_something(text: str, around: str) -> bool:
    """Whether a statement has a name, or a word of the title and heading around it."""
    words = words_of(text)
    if _names_behind(words):
        return True
    if words and (words[0].low[-2:].isdigit() or any(c.isupper() for c in text[1 : words[0].end])):
        return True
    if not around.strip():
        return True
    spoken = {stem(word.low) for word in words_of(around) if word.low not in FUNCTION_WORDS}
    return any(
        stem(word.low) in spoken for word in words if len(word.low) > 3 and word.low not in _COMMON
    )


def _demonstrates(bare: str) -> bool:
    """Whether "that" points at what was said before."""
    return _THAT.search(bare) is not None or _THAT_NOUN.search(bare) is not None


def _former_alone(words: tuple[Word, ...]) -> bool:
    """Whether "the former" has no noun: "the former was sold", not "the former mayor"."""
    return any(
        article.low == "the"
        and former.low == "former"
        and (former.comma or noun.low in FUNCTION_WORDS or tense_of(noun) != "")
        for article, former, noun in zip(words, words[1:], words[2:] + words[-1:], strict=False)
    )


def _names_behind(words: tuple[Word, ...]) -> bool:
    return any(word.capital and word.low not in FUNCTION_WORDS for word in words[1:])


def _open_bracket(text: str) -> bool:
    return text.count("(") != text.count(")") or text.count("[") != text.count("]")


def _pronoun_before_noun(words: tuple[Word, ...]) -> bool:
    """Whether a pronoun stands before any word that it could mean."""
    person = thing = several = False
    names = 0
    for index, word in enumerate(words):
        low = word.low.split("'")[0].split("’")[0]
        if low in _PERSONAL:
            if not person or (low in {"him", "himself"} and names < 2):
                return True
        elif low in _OTHERS:
            if not thing and not person:
                return True
            if low == "they" and not several and not person:
                return True
        elif word.capital and low not in FUNCTION_WORDS:
            thing = thing or index > 0 or not low.endswith("ing")
            several = several or low.endswith("s")
            named = index > 0 and words[index - 1].low != "the"
            person = person or named or (index == 0 and _opens_as_person(words))
            names += not (index and words[index - 1].capital)
        elif low not in FUNCTION_WORDS and len(low) > 2 and index:
            thing = thing or not low.endswith(("ly", "ing", "ed"))
            person = person or is_person(low)
            several = several or low.endswith("s") or low in _SEVERAL
        else:
            several = several or low in _SEVERAL
    return False


def _opens_as_person(words: tuple[Word, ...]) -> bool:
    """Whether the first word may be a person's name: "Lund said", "Lund's", not "Tests show"."""
    following = words[1] if len(words) > 1 else words[0]
    return (
        following.capital
        or words[0].low.endswith(("'s", "’s"))
        or words[0].comma
        or following.low in AUXILIARIES
        or (tense_of(following) != "" and not words[0].low.endswith(("ing", "s")))
    )
