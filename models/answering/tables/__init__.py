"""Answers questions from the cells of one table, without an LLM."""
