"""Checks of a build."""
