"""What answers questions, beside an index: decomposing, rewriting, extracting, comparing."""
