"""Answers that a pattern finds by itself, without weights: values of keys, names, amounts."""
