"""The result of every reader, and its conversion to units with ids."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from factmill.schemas.ids import proposition_id, qa_pair_id
from factmill.schemas.records import Proposition, QAPair, Segment

# Why a segment has no units although it was read: it states nothing.
NO_UNITS = "no_units"
# A guess below this is as likely wrong; a page mistaken for a listing loses its title, and with it
# every unit about "the lamp" that the title names.
_LIKELY = 0.5


@dataclass(frozen=True, slots=True)
class Statement:
    """A proposition drawn from `segment.text[start:end]`; `rules` are the rules that made it, if
    any.
    """

    text: str
    start: int
    end: int
    rules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AtomicQuestion:
    """A question answered by `segment.text[start:end]`; `statement` is the index of its source."""

    text: str
    start: int
    end: int
    statement: int | None = None
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Fault:
    """A fact or pair from a reader that must not be stored: a short code, and the text."""

    reason: str
    text: str


@dataclass(frozen=True, slots=True)
class Reading:
    """Everything that a reader found in one segment, and what failed validation."""

    statements: tuple[Statement, ...] = ()
    questions: tuple[AtomicQuestion, ...] = ()
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True, slots=True)
class PageContext:
    """What a reader knows about a segment's page. `kind` is a `PageKind`, "" if uncertain; with
    `judged` its statements are judged: it is a web page, whose kind was guessed, as that of a
    passage of a corpus is not.
    """

    title: str
    kind: str = ""
    judged: bool = False

    @classmethod
    def of(cls, title: str, kind: str, confidence: float | None) -> PageContext:
        """With the kind that cleaning guessed, if it is likelier than all others together."""
        sure = 0.0 if confidence is None else confidence
        return cls(title, kind if sure >= _LIKELY else "", confidence is not None)


class Reader(Protocol):
    """Reads segments. Equal fingerprints guarantee equal readings of equal segments and
    contexts.
    """

    @property
    def fingerprint(self) -> str: ...

    def read(self, segment: Segment, page: PageContext) -> Reading:
        """Raises Rejected when the segment cannot be read."""
        ...


@dataclass(frozen=True, slots=True)
class SegmentUnits:
    """The units of a reading; `repeats` are items whose unit was there already."""

    propositions: list[Proposition]
    pairs: list[QAPair]
    repeats: list[Fault]


def to_units(segment: Segment, reading: Reading, reader: str) -> SegmentUnits:
    """Assign ids and ordinals to a reading; repeats (same id) are kept once."""
    propositions: dict[str, Proposition] = {}
    pairs: dict[str, QAPair] = {}
    ids: list[str] = []
    repeats: list[Fault] = []
    for statement in reading.statements:
        start, end = statement.start, statement.end
        unit = proposition_id(segment.segment_id, statement.text, start, end)
        ids.append(unit)
        if unit in propositions:
            repeats.append(Fault("repeat", statement.text))
            continue
        propositions[unit] = Proposition(
            unit, segment.segment_id, segment.page_id, len(propositions),
            statement.text, start, end, reader,
        )  # fmt: skip
    for question in reading.questions:
        start, end = question.start, question.end
        unit = qa_pair_id(segment.segment_id, question.text, start, end)
        source = () if question.statement is None else (ids[question.statement],)
        if unit in pairs:
            repeats.append(Fault("repeat", question.text))
            continue
        pairs[unit] = QAPair(
            unit, segment.segment_id, segment.page_id, len(pairs),
            question.text, segment.text[start:end], start, end, source, reader,
        )  # fmt: skip
    return SegmentUnits(list(propositions.values()), list(pairs.values()), repeats)
