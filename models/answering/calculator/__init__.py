"""A calculator for untrusted expressions."""
