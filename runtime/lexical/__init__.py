"""Finds segments by the words of a query, and pages by their names."""
