"""Tests of the strategy hanrag."""
