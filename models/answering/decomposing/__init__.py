"""Decomposes questions into sub-questions by rule, and compares their answers."""
