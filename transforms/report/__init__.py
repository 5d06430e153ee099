"""The run report of a build."""
