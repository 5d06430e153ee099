"""Job learn: questions and units to the hash head."""
