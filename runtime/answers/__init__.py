"""Answers to questions, from an open index."""
