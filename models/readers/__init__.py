"""Readers: segment -> propositions and QA pairs; by rule, or by an LLM."""
