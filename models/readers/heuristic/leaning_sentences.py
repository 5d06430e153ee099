"""Why a sentence of another language than English cannot be read by itself: a pronoun stands for
what other sentences name, somebody speaks or is spoken to, or its time is that of its writing.

No grammar is known of these languages, so a sentence with such a word anywhere is left out
(`closed_classes`). That is strict: the sentence may name itself what the word stands for.
"""

from __future__ import annotations

import re

from factmill.models.readers.heuristic.closed_classes import (
    ClosedClasses,
    has_any,
    opens_with,
)

# French "il" refers to something, except in "il pleut" or "il y a".
_FRENCH_IT = re.compile(
    r"Il (?!(?:y|n['’]y|faut|suffit|s['’]agit|existe|convient|reste)\b"
    r"|(?:est|était|sera) (?:\w+ )?(?:possible|important|nécessaire|recommandé|conseillé"
    r"|interdit)\b)"
    r"(?=[a-zéèêà'’]+ )"
)
# "choisissez"; "c'est" what stands before.
_FRENCH_REQUEST = re.compile(r"\b(?!(?:chez|assez|nez|rez)\b)[A-Za-zéèêç]{2,}ez\b|\b[Cc]['’]est\b")
_GERMAN_YOU = re.compile(r"(?<=[a-zäöüß,] )(?:Sie|Ihnen|Ihre[mnrs]?|Ihr)\b")
_CUT_SHORT = ("..", "…")
# "Eugênio: Por sua causa, Carlos.", "Label : bio"; not "14:30".
_LABELLED = re.compile(r"[^.:：]{2,40}\s?(?!:[\d/])[:：]\s?\S")


def leaning_fault(sentence: str, language: ClosedClasses | None) -> str:
    """Why a sentence leans on others, or "". `language` is that of the text around it."""
    if sentence.endswith(_CUT_SHORT) or _begins_small(sentence):
        return "cut_short"
    if _LABELLED.match(sentence):
        return "speaker"
    if language is None:
        return ""
    is_french, is_german = language.code == "fr", language.code == "de"
    if opens_with(sentence, language.references) or opens_with(sentence, language.openers):
        return "pronoun_subject"
    if is_french and _FRENCH_IT.match(sentence):
        return "pronoun_subject"
    if (
        has_any(sentence, language.speakers)
        or (is_french and _FRENCH_REQUEST.search(sentence))
        or (is_german and _GERMAN_YOU.search(sentence))
    ):
        return "speaker"
    if has_any(sentence, language.references):
        return "open_reference"
    return "relative_time" if has_any(sentence, language.times) else ""


def _begins_small(sentence: str) -> bool:
    """Whether it begins with a small letter, where there are great ones; "iPhone" is a name."""
    first = sentence[:1]
    return first.title() != first and first.islower() and not sentence[1:2].isupper()
