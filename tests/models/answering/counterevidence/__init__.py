"""Tests of what speaks against a span."""
