"""Rows of the tables of an open build, by id."""
