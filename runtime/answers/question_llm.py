"""Default settings for answering questions, and the LLM that answers them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from factmill.models.llm.completion import Llm
from factmill.models.llm.endpoint import Endpoint
from factmill.models.llm.retry_policy import RetryPolicy
from factmill.models.llm.usage_estimates import TokenCounter, estimated_tokens
from factmill.runtime.answers.question_limits import QuestionLimits
from factmill.runtime.answers.retrieval_llm import RetrievalLlmFiles
from factmill.schemas.errors import OptionError

# A person waits, so a failed call is repeated at most once, by the strategy, and a server that is
# down is given up on soon. Later questions ask it again.
_SECONDS_OF_OUTAGE = 5.0


@dataclass(frozen=True, slots=True)
class AnswerSettings:
    """How questions are answered. `strategy` None means the default. Without `llm_url` there is no
    LLM; `tokenizer` is the path of its tokenizer file. `knowledge` are names for `GivenSources` and
    `knowledge_key` is the key of its APIs; `retrieval_files` are those of the strategy r2ag. Raises
    OptionError for values that contradict each other.
    """

    strategy: str | None = None
    llm_url: str = ""
    llm_model: str = ""
    in_flight: int = 8
    tokenizer: Path | None = None
    limits: QuestionLimits = field(default_factory=QuestionLimits)
    knowledge: tuple[str, ...] = ()
    knowledge_key: str = field(default="", repr=False)
    retrieval_files: RetrievalLlmFiles | None = None

    def __post_init__(self) -> None:
        if bool(self.llm_url) != bool(self.llm_model):
            raise OptionError("--llm-url URL and --llm-model NAME belong together")


@asynccontextmanager
async def question_llm(
    settings: AnswerSettings, refusal_is_final: bool = True
) -> AsyncIterator[Llm | None]:
    """The LLM client while the block runs, or None without an LLM. `refusal_is_final` says whether
    a refused key or address is an error for all questions, or tried again later, as a service
    wants it. Raises OptionError.
    """
    if not settings.llm_url:
        yield None
        return
    from factmill.models.llm.client import OpenAIClient

    seconds = settings.limits.seconds
    retry = RetryPolicy(
        seconds, seconds, _SECONDS_OF_OUTAGE, max_attempts=1, outage_is_final=False,
        refusal_is_final=refusal_is_final,
    )  # fmt: skip
    endpoint = Endpoint(settings.llm_url, settings.llm_model, settings.in_flight, retry)
    async with OpenAIClient(endpoint) as client:
        yield client


def token_counter(path: Path | None) -> TokenCounter:
    """Counts tokens with a tokenizer file; estimates without one. Raises OptionError."""
    if path is None:
        return estimated_tokens
    import tokenizers

    try:
        tokenizer = tokenizers.Tokenizer.from_str(path.read_text(encoding="utf-8"))
    except Exception as error:
        # The package raises plain Exception for an invalid tokenizer; anything else is a bug.
        if type(error) is not Exception and not isinstance(error, (OSError, UnicodeDecodeError)):
            raise
        raise OptionError(f"--llm-tokenizer {path}: not a tokenizer.json ({error})") from None
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)
