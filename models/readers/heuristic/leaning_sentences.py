"""Why a sentence of another language than English cannot be read by itself: a pronoun stands for
what other sentences name, somebody speaks or is spoken to, or its time is that of its writing.

No grammar is known of these languages, so a sentence with such a word anywhere is left out
(`closed_classes`). That is strict: the sentence may name itself what the word stands for.
"""

from __future__ import annotations

import re

from factmill.models.readers.heuristic.closed_classes import ClosedClasses

# French "il" refers to something, except in "il pleut" or "il y a".
_FRENCH_IT = re.compile(
    r"Il (?!(?:y|n['’]y|faut|suffit|s['’]agit|existe|convient|reste)\b"
    r"|(?:est|était|sera) (?:\w+ )?(?:possible|important|nécessaire|recommandé|conseillé"
    r"|interdit)\b)"
    r"(?=[a-zéèêà'’]+ )"
)
_ITALIAN = re.compile(r"\b(?:di|che|della|nel|per|con|dei|delle|gli)\b")
# "choisissez"; "c'est" what stands before.
_FRENCH_REQUEST = re.compile(
    r"\b(?!(?:chez|assez|nez|rez)\b)[A-Za-zéèêç]{2,}ez\b(?=.*[éèàç]|.*\b(?:le|la|les|de|un|une)\b)"
    r"|\b[Cc]['’]est\b"
)
_GERMAN_YOU = re.compile(r"(?<=[a-zäöüß,] )(?:Sie|Ihnen|Ihre[mnrs]?|Ihr)\b")
_CUT_SHORT = ("..", "…")
# "Eugênio: Por sua causa, Carlos.", "Label : bio"
_LABELLED = re.compile(r"[^.:：]{2,40}\s?[:：]\s?\S")


def leaning_fault(sentence: str, language: ClosedClasses | None) -> str:
    """Why a sentence leans on others, or "". `language` is that of the text around it."""
    if sentence.endswith(_CUT_SHORT):
        return "cut_short"
    if _FRENCH_IT.match(sentence) and not _ITALIAN.search(sentence):
        return "pronoun_subject"
    if _LABELLED.match(sentence) or _FRENCH_REQUEST.search(sentence):
        return "speaker"
    if sentence[0].islower():
        return "cut_short"
    if language is None:
        return ""
    if language.opens(sentence, language.references | language.openers):
        return "pronoun_subject"
    if language.has(sentence, language.speakers) or _GERMAN_YOU.search(sentence):
        return "speaker"
    if language.has(sentence, language.references):
        return "open_reference"
    return "relative_time" if language.has(sentence, language.times) else ""
