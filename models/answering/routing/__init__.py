"""The route of a question: answered by an LLM alone, in one step, in parts, or step after step."""
