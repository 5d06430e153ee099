"""Small trained models that mark a span of a text, and their training."""
