"""Job encode: units and segments to vectors and codes."""
