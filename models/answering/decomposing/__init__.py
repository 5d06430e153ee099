"""A question is taken apart into sub-questions by rule, and their answers are compared."""
