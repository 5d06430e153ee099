"""Ranks pages by names: those that a query or other pages name."""
