"""Estimates the tokens for reading a batch, for the plan of a build.

Prompt tokens are counted with the model's tokenizer if available, else estimated from characters.
The length of the answer is estimated from the length of the text.
"""

from __future__ import annotations

from factmill.models.llm.completion import Usage
from factmill.models.llm.usage_estimates import EXPECTED_TOKENS_PER_MESSAGE, TokenCounter
from factmill.models.readers.llm.prompts import MAX_COMPLETION_TOKENS, messages
from factmill.models.readers.llm.segment_batches import SegmentBatch

# A linear fit of what Llama-3.1-8B and GPT-4 wrote about 1,726 passages (facts, and pairs with
# answers of the length that validation keeps), put into our format and counted by characters. Of 71
# tokens of text they wrote 221 and 309, of 280 tokens 518 and 843
# (tests/benchmarks/bench_replay.py).
COMPLETION_TOKENS_PER_TEXT_TOKEN = 2.4
COMPLETION_TOKENS_PER_SEGMENT = 60
# The prompt bounds the items of a segment.
MAX_TOKENS_PER_SEGMENT = 2200


def estimate(batch: SegmentBatch, count_tokens: TokenCounter) -> Usage:
    """Expected usage of the batch's call, without a repair."""
    prompt = sum(
        count_tokens(message.content) + EXPECTED_TOKENS_PER_MESSAGE for message in messages(batch)
    )
    expected = sum(expected_completion(count_tokens(segment.text)) for segment in batch.segments)
    return Usage(1, prompt, min(expected, MAX_COMPLETION_TOKENS))


def expected_completion(text_tokens: int) -> int:
    """The expected tokens of an answer about a segment with this many tokens."""
    expected = COMPLETION_TOKENS_PER_SEGMENT + COMPLETION_TOKENS_PER_TEXT_TOKEN * text_tokens
    return min(round(expected), MAX_TOKENS_PER_SEGMENT)


def by_characters(text: str) -> int:
    """About as many tokens as today's tokenizers make: four characters of English each, fewer in
    other scripts.
    """
    plain = len(text.encode("ascii", "ignore"))
    return round(plain / 4 + (len(text) - plain) / 1.5)


def token_counter_of(name: str) -> TokenCounter:
    """A token counter with the tokenizer of a model, given by name or folder. Raises OSError or
    ValueError when transformers finds none.
    """
    from transformers import AutoTokenizer

    loaded = AutoTokenizer.from_pretrained(name)
    return lambda text: len(loaded(text, add_special_tokens=False)["input_ids"])
