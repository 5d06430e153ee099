"""The passages shown to an LLM: numbered, delimited, without instructions, each with its citation.

hits -> numbered passages -> a message; numbers that the LLM cites -> citations -> does one of them
contain the answer?
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from factmill.models.answering.sentences.page_orders import (
    gives_orders,
    order_spans,
    overlaps,
    without_orders,
)
from factmill.models.answering.words.answer_words import holds_answer, with_signs_in_words
from factmill.models.answering.words.dates_and_numbers import same_value_in
from factmill.models.llm.marked_parts import one_line
from factmill.runtime.answers.answer import Citation, cite
from factmill.runtime.answers.yes_or_no import are_about, dictates, is_yes_or_no, takes_yes_or_no
from factmill.runtime.index import Hit, UnitHit

_MAX_TITLE_CHARACTERS = 120


@dataclass(frozen=True, slots=True)
class ShownPassage:
    """A passage as shown under its number."""

    text: str
    title: str
    citation: Citation

    def shown(self) -> str:
        """The title on the line of the mark, the text below it."""
        return f" {self.title}\n{self.text}" if self.title else f"\n{self.text}"


@dataclass(slots=True)
class ShownPassages:
    """Distinct passages in the order in which they are shown."""

    _passages: list[ShownPassage] = field(default_factory=list)
    _numbers: dict[tuple[str, str], int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._passages)

    def __getitem__(self, number: int) -> ShownPassage:
        """A passage by its number, from 1."""
        return self._passages[number - 1]

    def __iter__(self) -> Iterator[ShownPassage]:
        return iter(self._passages)

    def add(self, passage: ShownPassage) -> int:
        """Add a passage unless it is there already; returns its number."""
        key = (passage.citation.segment_id, passage.text)
        if key not in self._numbers:
            self._passages.append(passage)
            self._numbers[key] = len(self._passages)
        return self._numbers[key]

    def add_fitting(
        self, more: Sequence[ShownPassage], room: int, count_tokens: Callable[[str], int]
    ) -> int:
        """Add passages until one does not fit into `room` tokens; returns the tokens used."""
        taken = 0
        for passage in more:
            tokens = count_tokens(f"[[0000 99]]{passage.shown()}\n")
            if taken + tokens > room:
                break
            self.add(passage)
            taken += tokens
        return taken

    def parts(self, numbers: Iterable[int] | None = None) -> list[tuple[str, str]]:
        """Names and texts for `marked`."""
        wanted = range(1, len(self) + 1) if numbers is None else numbers
        return [(str(number), self[number].shown()) for number in wanted]

    def cited(self, numbers: Sequence[int]) -> list[ShownPassage]:
        """The distinct passages with these numbers. Numbers that were not shown are left out."""
        shown = [number for number in dict.fromkeys(numbers) if 1 <= number <= len(self)]
        return [self[number] for number in shown]

    def are_shown(self, numbers: Sequence[int]) -> bool:
        """Whether all of these numbers were shown."""
        return all(1 <= number <= len(self) for number in numbers)


def of_unit(hit: Hit, unit: UnitHit) -> ShownPassage | None:
    """A unit as a passage, cited by its evidence; None when it is part of an instruction."""
    if overlaps(unit.start, unit.end, order_spans(hit.text)) or gives_orders(unit.text):
        return None
    return ShownPassage(one_line(unit.text), _title(hit), cite(hit, unit.start, unit.end, unit))


def of_segment(hit: Hit, unit: UnitHit | None = None) -> ShownPassage:
    """A whole segment as a passage, cited with the unit that was found in it."""
    return ShownPassage(without_orders(hit.text), _title(hit), cite(hit, 0, len(hit.text), unit))


def of_beginning(hit: Hit, most: int) -> ShownPassage:
    """A segment as a passage, cut at a word after at most `most` characters."""
    whole = of_segment(hit)
    if len(whole.text) <= most:
        return whole
    text = whole.text[:most].rpartition(" ")[0] or whole.text[:most]
    return replace(whole, text=text, citation=cite(hit, 0, len(text)))


def _title(hit: Hit) -> str:
    title = one_line(hit.title)[:_MAX_TITLE_CHARACTERS]
    return "" if gives_orders(title) else title


def supports(
    passages: Sequence[ShownPassage], answer: str, question: str, parts: Sequence[str] = ()
) -> list[ShownPassage]:
    """The cited passages that contain the answer. Yes and no occur nowhere: passages without orders
    support them if they are about the question, or about each of its `parts`, and the question
    takes yes or no.
    """
    if not is_yes_or_no(answer):
        return [passage for passage in passages if _holds(passage, answer)]
    sound = [passage for passage in passages if not dictates(passage.citation.quote)]
    is_about = concern(sound, question) or (
        bool(parts) and all(concern(sound, part) for part in parts)
    )
    return sound if is_about and takes_yes_or_no(question) else []


def concern(passages: Sequence[ShownPassage], question: str) -> bool:
    """Whether one or two of the passages have most words of a question."""
    return are_about([f"{one.title}\n{one.text}" for one in passages], question)


def _holds(passage: ShownPassage, answer: str) -> bool:
    wanted = with_signs_in_words(answer)
    for text in (passage.text, passage.title, passage.citation.quote):
        sound = without_orders(text)
        if holds_answer(with_signs_in_words(sound), wanted) or same_value_in(sound, answer):
            return True
    return False
