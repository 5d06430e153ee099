"""Job index: vectors and segments to the files that searching maps."""
