"""Pronouns of other languages: a sentence that begins with one, or addresses the reader, cannot be
read by itself. Only words without another meaning in these languages are included.
"""

from __future__ import annotations

import re

# German, French, Spanish, Portuguese, Italian, Dutch, the Nordic languages, Polish.
_OPENING = frozenset(
    "er sie wir ich dieser diese dieses dies seine seiner ihre ihr "
    "elle ils elles je j' nous vous tu ce cet cette ces cela ceci celui-ci celle-ci "
    "son sa ses leur leurs notre votre nos vos "
    "él ella ellos ellas yo nosotros usted ustedes este esta esto estos estas ese esa eso "
    "esos esas ele ela eles elas eu nós você isso isto "
    "lui lei egli essa esso essi esse loro noi voi questo questa questi queste quello quella "
    "hij zij ze wij ik jij deze dit dat zijn "
    "d'autres autres certains certaines andere otros otras altri altre outros outras "
    "han hon hun jeg jag vi dette denne denna detta disse dessa "
    "on ona oni one jego jej ich to ten ta te".split()
)
# French "il" refers to something, except in "il pleut" or "il y a".
_FRENCH_IT = re.compile(
    r"Il (?!(?:y|n['’]y|faut|suffit|s['’]agit|existe|convient|reste)\b"
    r"|(?:est|était|sera) (?:\w+ )?(?:possible|important|nécessaire|recommandé|conseillé"
    r"|interdit)\b)"
    r"(?=[a-zéèêà'’]+ )"
)
_ITALIAN = re.compile(r"\b(?:di|che|della|nel|per|con|dei|delle|gli)\b")
_SPEAKING = re.compile(
    r"\b(?:wir|uns|unser(?:e[mnrs]?)?|ich|mein(?:e[mnrs]?)?|dein(?:e[mnrs]?)?|euch|euer|eure[mnrs]?"
    r"|nous|vous|notre|votre|nos|vos|je|mon|mes"
    r"|nosotros|nuestr[oa]s?|ustedes|usted|vosotros|vuestr[oa]s?"
    r"|você|vocês|nosso|nossa|nossos|nossas"
    r"|nostr[oaie]|vostr[oaie]|wij|onze|jouw|jullie|kita|kami|saya|anda)\b"
)
# "choisissez"; "c'est" what stands before.
_FRENCH_REQUEST = re.compile(
    r"\b(?!(?:chez|assez|nez|rez)\b)[A-Za-zéèêç]{2,}ez\b(?=.*[éèàç]|.*\b(?:le|la|les|de|un|une)\b)"
    r"|\b[Cc]['’]est\b"
)
_GERMAN_YOU = re.compile(r"(?<=[a-zäöüß,] )(?:Sie|Ihnen|Ihre[mnrs]?|Ihr)\b")
# Chinese and Japanese: I, we, you, he, she, it, this.
_EASTERN = re.compile(
    "(?:我们|我們|我|你们|你們|你|您|他们|他們|她们|他|她|它|这|這|此"
    "|私|僕|あなた|彼女|彼|これ|それ|当社|弊社)"
)


def other_speaker_fault(sentence: str) -> str:
    """Why a non-English sentence cannot be read by itself, or ""."""
    if _EASTERN.match(sentence):
        return "pronoun_subject"
    first = re.split(r"[\s,]", sentence, maxsplit=1)[0].lower().strip("\"'“«„¿¡").replace("’", "'")
    if first in _OPENING or first.startswith("j'"):
        return "pronoun_subject"
    if _FRENCH_IT.match(sentence) and not _ITALIAN.search(sentence):
        return "pronoun_subject"
    if sentence.endswith(("...", "…")):
        return "cut_short"
    if _FRENCH_REQUEST.search(sentence):
        return "speaker"
    if _SPEAKING.search(sentence) or _GERMAN_YOU.search(sentence):
        return "speaker"
    return ""
