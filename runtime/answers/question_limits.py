"""Limits of one question, whatever strategy answers it."""

from __future__ import annotations

from dataclasses import dataclass

from factmill.schemas.errors import OptionError

# The default token limit of a question.
TOKENS = 6000


@dataclass(frozen=True, slots=True)
class QuestionLimits:
    """Limits of one question: tokens of all its calls (None: the maximum of its strategy),
    wall-clock seconds, and consecutive steps for strategies that choose their number. Raises
    OptionError for invalid values.
    """

    tokens: int | None = None
    seconds: float = 60.0
    steps: int = 5

    def __post_init__(self) -> None:
        if (self.tokens is not None and self.tokens < 1) or self.seconds <= 0 or self.steps < 1:
            raise OptionError("the tokens, seconds and steps of a question must be more than 0")
