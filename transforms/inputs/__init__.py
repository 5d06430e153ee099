"""Input files of every kind, read as raw pages."""
