"""Domain and dynamism of a question."""
