"""Tests of answers that a pattern finds by itself."""
