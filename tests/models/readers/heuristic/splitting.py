"""A rule's outcome as texts."""

from factmill.models.readers.heuristic.aligned_text import SplitRule, verbatim


def split_by(rule: SplitRule, text: str) -> list[str]:
    """The texts that a rule makes of a text, without the full stop; none where it leaves it."""
    whole = verbatim(text, 0, len(text))
    return [whole.apply(rewrite).text.rstrip(". ") for rewrite in rule(text)]
