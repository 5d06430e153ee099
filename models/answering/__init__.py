"""Answers questions from text that a search found: decomposing, rewriting, extracting,
comparing.
"""
