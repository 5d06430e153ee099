"""The content words of questions and sentences, stemmed so that they can match."""

from __future__ import annotations

import re
from functools import lru_cache

# A word, with the apostrophes, points and hyphens inside it.
WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
STOP = frozenset(
    (
        "a an the is are was were be been being am do does did has have had having can could will "
        "would should may might must shall of in on at by for from to with as into or and but if "
        "what who whom whose which when where why how many much it its he his him she her hers "
        "they their them this that these those there here i you we me my your our us name named "
        "called s not no than then so also such one some any both each other same about"
    ).split()
)
_ENDINGS = tuple("ations ation ings ing ies ied ers ed es er or s e y".split())
_DOUBLING = ("ing", "ings", "ed", "er", "ers")
_DOUBLED = re.compile(r"([bdgmnprt])\1$")
# Irregular forms: of strong verbs, and nouns for what an adjective measures.
_FORMS = (
    "lose:lost win:won build:built hold:held buy:bought leave:left begin:began,begun,beginning "
    "write:wrote,written sell:sold sing:sang,sung run:ran make:made take:took,taken "
    "give:gave,given go:went,gone come:came become:became lead:led meet:met fight:fought "
    "teach:taught grow:grew,grown draw:drew,drawn drive:drove,driven fall:fell,fallen find:found "
    "keep:kept know:knew,known pay:paid rise:rose,risen sink:sank,sunk speak:spoke,spoken "
    "stand:stood strike:struck think:thought wear:wore,worn breed:bred light:lit "
    "choose:chose,chosen steal:stole,stolen break:broke,broken tell:told say:said send:sent "
    "spend:spent bring:brought catch:caught feed:fed fly:flew,flown swim:swam,swum "
    "throw:threw,thrown underwrite:underwrote,underwritten withdraw:withdrew,withdrawn "
    "rebuild:rebuilt oversee:oversaw,overseen overcome:overcame undergo:underwent,undergone "
    "understand:understood forbid:forbade,forbidden hide:hid,hidden ride:rode,ridden shoot:shot "
    "drink:drank,drunk freeze:froze,frozen seek:sought forget:forgot,forgotten shake:shook,shaken "
    "weave:wove,woven lend:lent die:died,dies,death,dead dying:dying birth:born "
    "long:length tall:height,high wide:width deep:depth heavy:weight,weigh,weighs,weighed "
    "own:owned,owns,owner,owning old:age fast:speed far:distance cost:price,fare"
)
_BASE = {
    form: base
    for one in _FORMS.split()
    for base, forms in [one.split(":")]
    for form in forms.split(",")
}


@lru_cache(1 << 16)
def stem(word: str) -> str:
    """A word without its ending, roughly: "directed", "director" and "directs" share a stem."""
    word = word.lower().replace("’", "'").removesuffix("'s").removesuffix("'")
    word = _BASE.get(word, word)
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            bare = word[: -len(ending)]
            return bare[:-1] if ending in _DOUBLING and _DOUBLED.search(bare) else bare
    return word


def content_stems(text: str) -> list[str]:
    """The stems of the content words, in order."""
    words = (word.lower() for word in WORD.findall(text.replace("'s ", " ").replace("’s ", " ")))
    return [stem(word) for word in words if word not in STOP]


def stem_set(text: str) -> frozenset[str]:
    """The stems of the content words, without order."""
    return frozenset(content_stems(text))
