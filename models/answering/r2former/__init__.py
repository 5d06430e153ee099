"""R2-Former: what a retriever knows of a ranked list, for people who search and for LLMs."""
