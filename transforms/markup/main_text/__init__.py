"""The main text of a page, from its parsed tree."""
