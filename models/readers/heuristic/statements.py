"""Which sentences state something: not headings, captions, requests, file names and code.

A sentence of English needs a verb with a tense and the mark of an end. Of other languages nothing
is known but the marks.
"""

from __future__ import annotations

import re

from factmill.models.readers.heuristic.lexicon import (
    AUXILIARIES,
    DETERMINERS,
    PREPOSITIONS,
    Word,
    is_intransitive,
    is_participle,
    is_past_only,
    is_preposition,
    tense_of,
    words_of,
)
from factmill.models.readers.heuristic.phrases import is_present_with_object
from factmill.models.readers.heuristic.verbs import (
    asks_to_do,
    finite_plain_verb,
    is_singular_verb,
)
from factmill.models.text.function_words import FUNCTION_WORDS

MIN_CHARACTERS = 8
_MAIN_CLAUSE = re.compile(r",\s(?:[A-Z]|the\b|an?\b|it\b|he\b|she\b|they\b|his\b|her\b|its\b)")
_END = re.compile(r"[.!…。！．።।॥؟۔][\"'”’»)\]」』】]*$")
_ENGLISH_END = re.compile(r"(?<!\.\.)\.[\"'”’»)\]]*$")
_LETTER = re.compile(r"[^\W\d_]")
_SCRIPT_WITHOUT_SPACES = re.compile("[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
# Code, markup, menus, and what a page says of its own pictures.
_MARKUP = re.compile(
    r"[{}|\\`~^«»•·→←↑↓▶►★©®™@_\x80-\x9f\U0001F300-\U0001FAFF\u2600-\u27BF\ufffd]|&\w+;|::|;$|[<>=](?!\s?[\d.=])|[<>=]{3}"
    r"|\.\w+\(|https?:|www\.|[.!?]{4}|\*\*|\w\.\.\.\w"
    # Text that stands in for another, and what a shop's page says to those who cannot see it.
    r"|[Ll]orem ipsum|dolor sit amet|minim veniam|(?:Original|Current|Regular|Sale) price"
    r"|\.(?:jpe?g|png|gif|svg|webp|pdf|mp[34]|avi|zip|html?|php|css|js|exe|docx?)\b|â€|Ã."
)
# Quotation marks, and a letter of Catalan, in other languages than English.
_QUOTATION = re.compile("[«»]|(?<=l)·(?=l)")
# "Until they are pulled into a fantasy world.", "Below is a list."
_CLAUSE_ALONE = re.compile(
    r"(?:Until|Because|Although|Though|Whereas|Unless|While)\s[^,]*$|(?:Below|Above) (?:is|are)\b"
)
# "GROSS: Thank you.", "Q: What"
_SPEAKER = re.compile(r"(?:[A-Z][A-Z.'’ -]{1,40}|Q|A|[A-Z][a-z]+ [A-Z][a-z]+)\s?:\s")
_BULLET = re.compile(r"\d{1,2}:\d\d|\W*(?:\d{1,3}[.)]|[-–—*#>]|[a-z]\))\s|[^\w\"'“‘(¿¡]")
# "Table Mountain is a mountain": names that begin like captions.
_NAME = (
    r"(?:Table|Image|Source|Part|Left|Right|Picture|Video|Credit|Section|Step) "
    r"(?:[A-Z][\w'’-]* ){1,4}(?:is|was|are|were|has|had)\b"
)
_CAPTION = re.compile(
    rf"(?!{_NAME})"
    r"(?i:summary|updates?|photos?|photographs?|image|images|picture|figure|fig|table|video"
    r"|source|credit|caption|"
    r"pictured|above|below|left|right|note|tip|step|chapter|section|part|share|copyright"
    r"|advertisement|"
    r"related|read more|see also|more|updated|posted|published|reviewed|written|filed|tags?|by|via|"
    r"disclaimer|warning|editor['’]s note|subscribe|comments?|reply)\b(?=\s*(?:[:.]|by\b|\d"
    r"|credit|courtesy"
    r"|caption|above|below|left|right|$|[A-Z]))"
)
# Verbs that ask the reader to do something, at the start of a sentence.
_REQUESTS = frozenset(
    "add allow apply ask avoid be become begin believe book bring browse build buy call "
    "change check choose clean click combine compare complete connect consider contact "
    "continue copy cover create cut decide delete do discover download drag draw dream "
    "drop eat edit email end enable enjoy enter ensure expect explore fill find finish "
    "focus follow forget get give go grab grow have heat help hold imagine improve "
    "include increase install invest join jump just keep know learn leave let listen "
    "log look make manage meet mix move never note notice offer open opt order pack pay "
    "pick place plan play please pour practice prepare press protect provide pull push "
    "put read receive recall reduce refer register remember remove repeat replace reply "
    "request return review run save say scroll search see select sell send serve set "
    "share shop show sign sit skip spend start stay step stir stop store subscribe "
    "suppose swap switch take talk tell test think tie touch transfer transform "
    "translate travel treat trust try turn type understand unlock update upgrade upload "
    "use view visit wait walk want wash watch welcome win work write zoom stock achieve "
    "prefer aim celebrate customize customise describe design determine "
    "develop dig define deploy generate automate streamline integrate optimize optimise beware "
    "double realize realise head don't don’t maximize measure monitor navigate reach rinse scan "
    "simmer slice snap specify sprinkle submit tap track".split()
)
_BEFORE_REQUEST = frozenset(
    "always never simply then also instead next finally first automatically easily quickly "
    "instantly seamlessly securely effortlessly".split()
)
_REQUEST_BEHIND = re.compile(
    r"[;–—]\s(?:then |first, |please |just )?"
    r"(?:see|check|try|use|visit|contact|read|click|make sure|call)\s"
)
_MOVES_IT = re.compile(
    r"[A-Z][a-z]+ (?:it|them|that|this|these|those)"
    r" (?:up|down|out|off|on|in|into|to|with|over|back)\b"
)
# What no statement of its own begins with.
_OPENINGS = frozenset(
    "here here's here’s something someone everything anything nothing somebody or nor "
    "than which who whose whom where what why how whether because so plus yes no ok "
    "okay well was were is are has had have does did hi hello thanks thank dear sorry "
    "wow oh ah hey maybe perhaps hence thus not even just very easy great perfect "
    "ideal especially available would could should can cannot can't can’t couldn't couldn’t "
    "won't won’t wouldn't wouldn’t didn't didn’t doesn't doesn’t isn't isn’t e.g i.e "
    "sure imo imho afaik btw fwiw becouse cause alternatively".split()
)
# Verbs in -s that are not nouns, so that a sentence that begins with one has no subject.
_NO_PLURALS = frozenset(
    "adds allows becomes comprises connects consists contains depicts describes determines enables "
    "ensures explains gets gives goes helps improves includes indicates integrates keeps lacks "
    "lets prevents provides removes represents requires specifies takes".split()
)
# "Only available in red.", "Only to sell it."; "Only 100 species have" counts.
_ONLY = re.compile(r"Only\s(?!\d|(?:two|three|four|five|six|seven|eight|nine|ten)\s)")
_SELDOM_PLURALS = frozenset("looks sounds seems feels works runs comes makes".split())


def states_something(sentence: str, english: bool) -> bool:
    """Whether a sentence has the form of a statement."""
    if len(sentence) < MIN_CHARACTERS or not _LETTER.search(sentence):
        return False
    if not english:
        return (
            _is_long_enough(sentence)
            and _MARKUP.search(_QUOTATION.sub("", sentence)) is None
            and _BULLET.match(sentence) is None
        )
    if (
        not _ENGLISH_END.search(sentence)
        or _MARKUP.search(sentence)
        or _BULLET.match(sentence)
        or _SPEAKER.match(sentence)
        or _CAPTION.match(sentence)
        or not (sentence[0].isupper() or sentence[0].isdigit() or sentence[0] in "\"'“‘(")
    ):
        return False
    if _CLAUSE_ALONE.match(sentence):
        return False
    words = words_of(sentence)
    if sentence[0] == "(" or (_opens_with_participle(words) and not _MAIN_CLAUSE.search(sentence)):
        return False
    return (
        len(words) >= 3
        and words[0].low not in _REQUESTS
        and words[0].low not in _OPENINGS
        and not _ONLY.match(sentence)
        and not _lacks_subject(words)
        and not _asks_for_something(words, sentence)
        and not _asks_to_do(words)
        and not _asks_behind_label(_behind_label(words, sentence))
        and not _is_noun_with_clause(words)
        and _has_finite_verb(words)
    )


def _asks_to_do(words: tuple[Word, ...]) -> bool:
    """ "Deliver rich content", "Automatically decrease fraud"."""
    if words[0].low not in _BEFORE_REQUEST:
        return asks_to_do(words)
    return words[1].low in _REQUESTS or asks_to_do(words[1:])


def _lacks_subject(words: tuple[Word, ...]) -> bool:
    """ "Includes references", "Supports all models": a list says so of what stands above it."""
    first, second = words[0].low, words[1]
    if first in _SELDOM_PLURALS:
        return second.low not in AUXILIARIES and (second.low == "like" or not _is_tie(second))
    return first in _NO_PLURALS or (is_singular_verb(first) and second.low in DETERMINERS)


def _is_tie(word: Word) -> bool:
    return is_preposition(word) or word.capital or word.low in {"and", "or", "that"}


def _behind_label(words: tuple[Word, ...], text: str) -> tuple[Word, ...]:
    """The words behind a label, "Long life: use the charger"; none where there is no label."""
    for index, word in enumerate(words[:6]):
        if word.comma and text[word.end : word.end + 1] == ":" and words[index + 1 :]:
            return words[index + 1 :]
    return ()


def _asks_behind_label(words: tuple[Word, ...]) -> bool:
    """ "Use the charger", "Building models": no statement, and no "Building models is"."""
    if len(words) < 3:
        return bool(words)
    gerund = words[0].low.endswith("ing") and not any(w.low in AUXILIARIES for w in words[1:8])
    return gerund or words[0].low in _REQUESTS or asks_to_do(words)


def _opens_with_participle(words: tuple[Word, ...]) -> bool:
    """ "Considered European, as is": a participle needs a main clause behind it. "Broken Arrow is"
    opens with a name."""
    if len(words) < 2 or not is_participle(words[0]._replace(capital=False)):
        return False
    behind = next((word for word in words[1:] if not word.capital), None)
    return not (words[1].capital and behind is not None and behind.low in AUXILIARIES)


def _has_object(words: tuple[Word, ...], verb: int) -> bool:
    """Whether a past tense is not a participle: "founded the town", "Lund moved to", not "automated
    vacuum"."""
    if verb + 1 == len(words) or is_intransitive(words[verb]):
        return is_intransitive(words[verb])
    following = words[verb + 1]
    return (
        following.low in DETERMINERS
        or following.capital
        or following.low[0].isdigit()
        or (words[verb - 1].capital and verb > 1 and not words[verb - 1].low.endswith(("'s", "’s")))
        or following.low in {"that", "it", "him", "her", "them"}
    )


def _is_noun_with_clause(words: tuple[Word, ...]) -> bool:
    """ "Docking station that provides power": the only verb is that of a relative clause."""
    for index, word in enumerate(words[1:8], start=1):
        if word.low in {"that", "which", "who"} and not words[index - 1].comma:
            # What stands behind "are" is a participle: "shirts that are made for sport".
            passive = words[index + 1 : index + 2] and words[index + 1].low in AUXILIARIES
            return not any(
                behind.low in AUXILIARIES or (tense_of(behind) and not behind.comma)
                for behind in words[index + (3 if passive else 2) :]
            )
        if word.low in AUXILIARIES or tense_of(word):
            return False
    return False


def _asks_for_something(words: tuple[Word, ...], text: str) -> bool:
    """ "Charter an entire ship", "Bump that up", "If it is not listed, select a language", "Sizes
    vary; see the table"."""
    first, second = words[0].low, words[1].low
    if _REQUEST_BEHIND.search(text) or _MOVES_IT.match(text):
        return True
    if second in {"a", "an", "the", "your"} and first not in FUNCTION_WORDS | PREPOSITIONS:
        return not first.endswith("ing") and first not in {"amid", "unlike", "like", "despite"}
    if first in {"if", "to", "when", "for", "once", "while", "after", "before", "in", "with"}:
        pairs = zip(words[:24], words[1:25], strict=False)
        return any(word.comma and behind.low in _REQUESTS for word, behind in pairs)
    return False


def _is_long_enough(sentence: str) -> bool:
    count = len(sentence.split())
    if _SCRIPT_WITHOUT_SPACES.search(sentence):
        return _END.search(sentence) is not None or len(sentence) > 30
    return count >= 3 and _END.search(sentence) is not None


def _has_finite_verb(words: tuple[Word, ...]) -> bool:
    """Whether a verb with a tense stands behind the first word."""
    for index, word in enumerate(words[1:], start=1):
        before = words[index - 1]
        if word.low in AUXILIARIES or word.low.endswith(("n't", "n’t")):
            return True
        if before.low in DETERMINERS or is_preposition(before) or before.low in {"and", "or"}:
            continue
        if is_past_only(word) or is_present_with_object(words, index):
            return True
        if finite_plain_verb(words, index):
            return True
        tense = tense_of(word)
        if index + 1 == len(words) and tense == "present":
            return False
        if tense and not before.comma and (tense == "present" or _has_object(words, index)):
            return True
    return False
