"""Tests of answers to closed questions: yes or no."""
