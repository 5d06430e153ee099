"""Job learn: questions and units to the hash head, and the query encoder."""
