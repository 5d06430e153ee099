"""R2-Former: judges the documents of a ranked list, for search results and for LLMs."""
