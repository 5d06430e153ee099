"""Spans of sentences as answers: found by kind, weighed by features."""
