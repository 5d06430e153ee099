"""Named entities by a trained spaCy pipeline, for where there is time and somebody installed one.

The pipelines are not on PyPI, so nothing depends on them: `entity_finder` falls back to the rules
of `entities`. A pipeline is too slow for cleaning a crawl: its tokenizer alone takes ten times as
long as the rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import spacy
from spacy.util import get_installed_models

from models.entities import EntityFinder
from schemas.records import Entity

# Entities need none of these.
_LEFT_OUT = ("parser", "senter", "attribute_ruler", "lemmatizer")


class TrainedEntityFinder:
    """Finds entities with a spaCy pipeline, given by the name of its package or its folder."""

    def __init__(self, pipeline: str) -> None:
        self._pipeline = spacy.load(pipeline, exclude=_LEFT_OUT)

    def find(self, texts: Iterable[str]) -> Iterator[tuple[Entity, ...]]:
        """Entities of each text, in the order of the texts; offsets are in characters."""
        # spaCy refuses longer texts; entities beyond its limit are not looked for.
        bounded = [text[: self._pipeline.max_length] for text in texts]
        # Without the zone, spaCy remembers every word it ever saw.
        with self._pipeline.memory_zone():
            found = [
                tuple(Entity(e.text, e.label_, e.start_char, e.end_char) for e in doc.ents)
                for doc in self._pipeline.pipe(bounded)
            ]
        yield from found


def entity_finder(pipeline: str = "en_core_web_sm") -> EntityFinder | TrainedEntityFinder:
    """The trained pipeline of that name when it is installed, the rules otherwise."""
    if pipeline in get_installed_models():
        return TrainedEntityFinder(pipeline)
    return EntityFinder()
