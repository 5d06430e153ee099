"""Hash codes: the head, its losses and training, code search and sweeps."""
