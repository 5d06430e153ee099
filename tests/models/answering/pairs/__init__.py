"""Tests of answers that the index holds ready."""
