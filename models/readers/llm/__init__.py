"""The reader that asks an LLM: prompts, answers, validation."""
