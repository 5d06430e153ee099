"""Input files of every format, read as raw pages."""
