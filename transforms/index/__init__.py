"""Job index: vectors and segments to the files that a search maps."""
