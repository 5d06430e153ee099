"""Sentences with exact offsets: rules for common punctuation, blingfire for the rest.

Knows nothing of pages or segments. A line break always ends a sentence, because cleaned text has
one paragraph, heading or list item a line. The rules overrule blingfire because they are more
accurate than it, pysbd and spaCy's sentencizer: tests/benchmarks/bench_sentences.py compares them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import takewhile

import blingfire

from factmill.models.text.span import Span

_LINE = re.compile(r"[^\n]+")


def _words(*texts: str) -> frozenset[str]:
    return frozenset(word for text in texts for word in text.split())


# A capitalised word of these starts a sentence.
_STARTERS = _words(
    "the a an this that these those he she it they we you i his her its their our my your there",
    "here in on at by for from with to as if when while after before since but and or so yet not",
    "no what who how why where which however although though because once all some many most one",
    "two both each then also",
)
_GLUED = rf"(?<=[.!?…])(?:{'|'.join(sorted(map(str.capitalize, _STARTERS)))})[ '’]"
_SMILEY = r"[:;=][-'^]?[()DPp|/*\[\]](?!\w)"
# Citation marks belong to the sentence before them: "it was so.[7][12] Then".
_CITATION = r"(?:\[(?:\d{1,3}|[a-z]|note \d{1,2}|citation needed)\])"
# A Latin punctuation mark can end a sentence only before white space, so never within "3.14",
# "a.b@c.org" or "example.com", or before a word like "The", because many pages lost the space.
# Chinese and Japanese have no spaces. The bounds keep the scan linear, and the leading character
# set makes it fast.
_MARK = re.compile(
    r"[.!?…؟۔।॥።။。！？｡．](?:"
    r"(?<=[.!?…])(?<![.!?…]{2})[.!?…]{0,99}(?P<close>[\"'”’»)\]]{0,9})"
    rf"(?:\s?{_SMILEY}){{0,9}}(?P<cited>{_CITATION}{{0,9}})(?=\s|$|{_GLUED})"
    r"|(?<=[؟۔।॥።။])(?=\s)|(?<=[。！？｡．])[。！？｡．]{0,99}(?P<bracket>[」』”’）]{0,9}))"
)
# Marks that the scan above misses, because something separates them from the next word.
_OTHER_MARK = re.compile(r"[.!?…。！？]\S{0,9}\s")
# An end this close after a mark belongs to the mark.
_NEAR = 8
_WORD_LENGTH = 20  # what is longer is not an abbreviation
_OPENING = "\"'“‘«([¿¡-–— "
# Words before an ordinal in German and related languages: "am 11. Januar", "im 19. Jahrhundert".
_BEFORE_ORDINALS = _words(
    "am im der die das dem den des vom zum zur beim bis seit ab ein eine einem einer",
    "und oder einen ihr ihre ihrem ihren sein seine seinem seinen jeder jedem jeden von",
    "vor nach auf für den det og",
)
_GERMAN_NOUNS = _words(
    "Januar Februar März Mai Juni Juli Oktober Dezember Jänner",
    "Jahrhundert Jahrhunderts Jahrhunderte Jahrtausend Jahrtausends Lebensjahr Geburtstag Platz",
)
_ADDRESS = re.compile(r"https?://|www\.")

# Abbreviations before the name they belong to, which never end a sentence.
_BEFORE_NAMES = _words(
    "Dr Drs Mr Mrs Ms Mme Mlle Messrs Prof St Rev Hon Gen Adm Col Maj Capt Cmdr Lt Sgt Det Insp",
    "Sen Rep Gov Pres Supt Fr Sr Sra Mt Ft P.S PS N.B vs v cf viz al approx ca e.g i.e E.g I.e",
)
# Abbreviations that are followed by their number.
_BEFORE_NUMBERS = _words(
    "No Nos no nos Nr nr Fig Figs fig figs p pp Vol vol Ch ch Sec sec Art art Eq eq Op op Ref ext",
    "min max approx Approx Jan Feb Mar Apr Jun Jul Aug Sept Sep Oct Nov Dec",
)
# Abbreviations that may be within a sentence or end it.
_ANYWHERE = _words(
    "Inc Ltd Co Corp Bros Pvt LLC Jr Esq Ave Blvd Rd Dept dept Assn Univ est Est Ala Ariz Calif",
    "Colo Conn Del Fla Ill Ind Kan Mass Md Mich Minn Miss Mo Mont Neb Nev Okla Ore Pa Penn Tenn",
    "Tex Va Vt Wash Wis Wyo",
)
_DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]|Ph\.D")
_CLOCK = _words("a.m p.m A.M P.M")
_AFTER_CLOCK = _words(
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday ET EST EDT CT CST CDT MT MST MDT PT",
    "PST PDT GMT UTC BST CET",
)


def split_sentences(text: str) -> list[Span]:
    """Spans of the sentences of a text, in order, not overlapping, without outer white space."""
    spans: list[Span] = []
    for line in _LINE.finditer(text):
        if line.group().strip():
            spans.extend(_split_line(line.group(), line.start()))
    return spans


def _split_line(line: str, offset: int) -> list[Span]:
    line = line.rstrip()
    start = len(line) - len(line.lstrip())
    spans: list[Span] = []
    for end, match in _candidates(line):
        following = end
        while following < len(line) and line[following].isspace():
            following += 1
        if following == len(line) or end <= start:
            continue
        if match is None or _ends_sentence(line, start, match, following):
            # blingfire takes some white space as the end of a sentence.
            spans.append((offset + start, offset + start + len(line[start:end].rstrip())))
            start = following
    if start < len(line):
        spans.append((offset + start, offset + len(line)))
    return spans


def _candidates(line: str) -> list[tuple[int, re.Match[str] | None]]:
    """Where sentences may end, in order: at marks, which the rules judge, and where only blingfire
    sees an end, which is accepted ("so it was.[7] Then").
    """
    marks = list(_MARK.finditer(line))
    starts = [match.start() for match in marks]

    def judged(position: int) -> bool:
        before = bisect_right(starts, position) - 1
        return before >= 0 and position <= marks[before].end() + _NEAR

    found: list[tuple[int, re.Match[str] | None]] = [(match.end(), match) for match in marks]
    if any(not judged(match.start()) for match in _OTHER_MARK.finditer(line)):
        found += [(end, None) for end in _blingfire_ends(line) if not judged(end)]
        found.sort(key=lambda candidate: candidate[0])
    return found


def _blingfire_ends(line: str) -> Iterator[int]:
    position = 0
    for sentence in blingfire.text_to_sentences(line).split("\n"):
        found = line.find(sentence, position)
        if found < 0:  # it changes some kinds of white space; the rest of the line is not split
            return
        position = found + len(sentence)
        yield found + len(sentence.rstrip())


def _ends_sentence(line: str, start: int, match: re.Match[str], following: int) -> bool:
    """Whether the mark ends the sentence from `start`; `following` begins with no white space."""
    stop, first = match.start(), line[following]
    if match["close"] is None:  # 「はい。」と言う: what is quoted is part of a sentence
        return not (match["bracket"] and "ぁ" <= first <= "ん")
    if first in ".!?…,;)]”’»":  # ". . ."
        return False
    if following == match.end() and re.search(r"[/@]\S*$", line[max(start, stop - 99) : stop]):
        return False  # "https://example.com/faq?What "
    mark = line[stop : match.start("close")]
    word = following
    while word < len(line) - 1 and line[word] in _OPENING:
        word += 1
    if line[word].islower() and not _ADDRESS.match(line, word):
        # A writer who starts sentences without capitals started this one so. A question mark is
        # certain.
        if match["close"] or (mark[-1] != "?" and not line[start].islower()):
            return False
    elif mark != "." or match["close"]:
        return True
    return not (mark == "." and _is_abbreviation(line, stop, word))


def _is_abbreviation(line: str, stop: int, following: int) -> bool:
    """Whether the full stop at `stop` belongs to its word and does not end a sentence."""
    before = line[max(0, stop - _WORD_LENGTH) : stop].split()
    word = before[-1].lstrip(_OPENING) if before and not line[stop - 1].isspace() else ""
    if word in _BEFORE_NAMES:
        return True
    next_word = "".join(takewhile(str.isalpha, line[following : following + _WORD_LENGTH]))
    if word in _CLOCK:
        return next_word in _AFTER_CLOCK
    if (len(word) == 1 and word.isalpha()) or word in _ANYWHERE or _DOTTED.fullmatch(word):
        return next_word.lower() not in _STARTERS
    if line[following].isdigit():
        return word in _BEFORE_NUMBERS or word.isdigit()
    ordinal = word.isdigit() and len(word) < 3 and len(before) > 1
    if ordinal and (before[-2].lstrip(_OPENING) in _BEFORE_ORDINALS or next_word in _GERMAN_NOUNS):
        return True
    # "1. A list item"
    return word.isdigit() and len(before) == 1 and stop < _WORD_LENGTH
