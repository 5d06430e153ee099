"""Named entities by a trained spaCy pipeline, if one is installed and time allows.

The pipelines are not on PyPI, so nothing depends on them, and the rules of `entities` are the
default. A pipeline takes far longer than the rest of cleaning: its tokenizer alone takes ten times
as long as the rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import spacy

from factmill.schemas.errors import OptionError
from factmill.schemas.records import Entity

# Components that entities do not need.
_LEFT_OUT = ("parser", "senter", "attribute_ruler", "lemmatizer")


class SpacyEntityFinder:
    """Finds entities with a spaCy pipeline, given by package name or folder."""

    def __init__(self, pipeline: str) -> None:
        """Raises OptionError when there is no such pipeline."""
        try:
            self._pipeline = spacy.load(pipeline, exclude=_LEFT_OUT)
        except (OSError, ValueError) as error:
            said = " ".join(str(error).split())[:200]
            raise OptionError(f"--entities {pipeline}: not a spaCy pipeline ({said})") from None

    def find(self, texts: Iterable[str]) -> Iterator[tuple[Entity, ...]]:
        """Entities of each text, in the order of the texts; offsets are in characters."""
        # spaCy refuses longer texts, so entities beyond its limit are not found.
        bounded = [text[: self._pipeline.max_length] for text in texts]
        # Without the memory zone, spaCy keeps every word it ever saw.
        with self._pipeline.memory_zone():
            found = [
                tuple(Entity(e.text, e.label_, e.start_char, e.end_char) for e in doc.ents)
                for doc in self._pipeline.pipe(bounded)
            ]
        yield from found
