"""The options that decide which pages the job clean keeps, and what it extracts from them."""

from __future__ import annotations

from dataclasses import dataclass

from factmill.models.text.entities import RULES
from factmill.transforms.clean.item_limits import Limits

DEFAULT_LIMITS = Limits(seconds=20, megabytes=1500)
# At this similarity of word shingles, about one word in fifty differs.
DEFAULT_NEAR_DUPLICATES = 0.8


@dataclass(frozen=True, slots=True)
class CleanOptions:
    """`languages`: codes of the languages to keep, empty for all. `entities`: the entity finder
    (`entities.entity_finder`). `near_duplicates`: the similarity from which a page may count as a
    duplicate, None for equality only. `limits`: those of one page. `strip_tokens`: remove apparent
    secrets from URL queries. `kinds`: kinds of pages to keep (`PageKind`), empty for all.
    """

    languages: tuple[str, ...] = ()
    entities: str = RULES
    near_duplicates: float | None = DEFAULT_NEAR_DUPLICATES
    limits: Limits = DEFAULT_LIMITS
    strip_tokens: bool = False
    kinds: tuple[str, ...] = ()


DEFAULT_OPTIONS = CleanOptions()
