"""Progress and log output of a build."""
