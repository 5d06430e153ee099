"""What decides which pages the job clean keeps, and what it finds in them."""

from __future__ import annotations

from dataclasses import dataclass

from factmill.models.text.entities import RULES
from factmill.transforms.clean.bounded_child import Limits

DEFAULT_LIMITS = Limits(seconds=20, megabytes=1500)
# Of two texts alike in this share of their word shingles, one word in fifty or so was edited.
DEFAULT_NEAR_DUPLICATES = 0.8


@dataclass(frozen=True, slots=True)
class CleanOptions:
    """`languages`: codes of the languages to keep, none for all. `entities`:
    what finds them (`entities.entity_finder`). `near_duplicates`: the similarity
    from which a page may count as a duplicate, None for equality only. `limits`: of one page.
    `strip_tokens`: drop what looks like a secret from URLs' queries. `kinds`: of the pages to keep
    (`PageKind`), none for all."""

    languages: tuple[str, ...] = ()
    entities: str = RULES
    near_duplicates: float | None = DEFAULT_NEAR_DUPLICATES
    limits: Limits = DEFAULT_LIMITS
    strip_tokens: bool = False
    kinds: tuple[str, ...] = ()


DEFAULT_OPTIONS = CleanOptions()
