"""Expected tokens of a batch."""

from factmill.models.readers.llm.estimate import MAX_TOKENS_PER_SEGMENT, by_characters, estimate
from factmill.models.readers.llm.prompts import MAX_COMPLETION_TOKENS, messages
from factmill.models.readers.llm.segment_batches import SegmentBatch
from factmill.schemas.records import Segment


def batch(*lengths: int) -> SegmentBatch:
    texts = ["lorem " * (length // 6) for length in lengths]
    return SegmentBatch("A page", tuple(
        Segment("s", "p", 0, "text", text, "", None, None) for text in texts
    ))  # fmt: skip


def test_estimate_counts_every_message_with_the_given_counter() -> None:
    counted = estimate(batch(600), len)
    sent = sum(len(message.content) for message in messages(batch(600)))
    assert sent < counted.prompt_tokens < sent + 30
    assert counted.calls == 1


def test_estimate_sharing_a_call_costs_less_prompt_and_the_same_answer() -> None:
    together = estimate(batch(600, 600), by_characters)
    alone = estimate(batch(600), by_characters)
    assert together.prompt_tokens < 2 * alone.prompt_tokens - 300
    assert together.completion_tokens == 2 * alone.completion_tokens


def test_estimate_answers_do_not_outgrow_their_limit() -> None:
    assert estimate(batch(32_000), by_characters).completion_tokens == MAX_TOKENS_PER_SEGMENT
    both = estimate(batch(32_000, 32_000), by_characters)
    assert both.completion_tokens == MAX_COMPLETION_TOKENS


def test_by_characters_other_scripts_take_more() -> None:
    assert by_characters("a" * 400) == 100
    assert by_characters("語" * 60) == 40
    assert by_characters("\ud800") == 1
    assert by_characters("") == 0
