"""LLMs behind a small protocol: a client for OpenAI-compatible servers, and a fake."""
