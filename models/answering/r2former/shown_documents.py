"""The text of a page beside its retrieval embedding in a prompt, and the settings of LLMs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

_MAX_TITLE_CHARACTERS = 120


@dataclass(frozen=True, slots=True)
class LlmSettings:
    """Settings of the paper's experiments: the width of the LLM's embeddings, documents per prompt
    and tokens per answer. Training rates are in `R2FormerTraining`.
    """

    width: int
    documents: int
    answer_tokens: int = 24
    precision: str = "float32"


# By the name in a card. `--llm-settings` selects one; sizes are those of the published models.
LLM_SETTINGS: Mapping[str, LlmSettings] = {
    "SmolLM2-135M-Instruct": LlmSettings(576, 10),
    "Llama-2-7B": LlmSettings(4096, 10, precision="bfloat16"),
    "Llama-2-13B": LlmSettings(5120, 10, precision="bfloat16"),
    "Llama-3.1-8B": LlmSettings(4096, 10, precision="bfloat16"),
}


def shown_document(title: str, text: str) -> str:
    """A page's title and text."""
    title = " ".join(title.split())[:_MAX_TITLE_CHARACTERS]
    return f"{title}: {text}" if title else text
