"""Answers are put into the questions that wait for them."""
