"""Spans of sentences as answers: found by kind, weighted by features."""
