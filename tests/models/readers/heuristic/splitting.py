"""A rule's outcome as texts."""

from factmill.models.readers.heuristic.wording import Rule, verbatim


def split_by(rule: Rule, text: str) -> list[str]:
    """The texts that a rule makes of a text, without the full stop; none where it leaves it."""
    whole = verbatim(text, 0, len(text))
    return [whole.composed(recipe).text.rstrip(". ") for recipe in rule(text)]
