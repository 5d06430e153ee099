"""Rows of the tables of an open build, by id, and the columns that filters ask about."""
