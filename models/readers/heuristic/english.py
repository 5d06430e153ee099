"""Detects English by its function words. The rules apply to English only."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W\d_]+")
_ENGLISH = frozenset(
    "the and of to that with from by for are were has have which his their been this who it as its "
    "had but not or they is was be on at into would can".split()
)
# Words of German, French, Spanish, Italian, Portuguese, Dutch, the Nordic languages, Polish,
# Czech, Turkish and Indonesian that English has not.
_OTHER = frozenset(
    "wurde wurden bei nach sind hat am gebaut der das und ist nicht mit von den dem ein "
    "eine einer im zu auf für sich wird werden des durch le la les du et est une dans "
    "pour qui sur pas au aux avec son ses cette el los las del en un una por con para "
    "que se su es lo como más il di che è per non della sono nel gli o os da do em uma "
    "não com foi het een van op met niet zijn aan ook och att det som på av är har til "
    "af og ikke w z na się jest nie že je ve bir bu için dan yang di untuk dengan".split()
)
_LATIN = re.compile("[A-Za-z]")
_OTHER_LETTER = re.compile("[^\\W\\d_A-Za-zÀ-ɏ]")


def is_english(text: str) -> bool:
    """Whether most of the text's function words are English; a text without any is English if its
    letters are Latin.
    """
    if not text.isascii() and len(_OTHER_LETTER.findall(text)) > len(_LATIN.findall(text)):
        return False
    words = _WORD.findall(text)
    other = sum(map(_OTHER.__contains__, words))
    return other < 2 or sum(map(_ENGLISH.__contains__, words)) >= other


def reads_english(sentence: str) -> bool:
    """Whether a single sentence is English: it has no function words or letters of other languages,
    and looks or reads like English.
    """
    if not sentence.isascii() and _OTHER_LETTER.search(sentence):
        return False
    words = [word.lower() for word in _WORD.findall(sentence)]
    return _OTHER.isdisjoint(words) and not _ENGLISH.union(("like", "we")).isdisjoint(words)
