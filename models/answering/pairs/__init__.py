"""Answers that the index already has: those of its QA pairs."""
