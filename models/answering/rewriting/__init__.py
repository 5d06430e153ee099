"""Puts answers into the questions that depend on them."""
