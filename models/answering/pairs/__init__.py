"""Answers that the index holds ready: those of its QA pairs."""
