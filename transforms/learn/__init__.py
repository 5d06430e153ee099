"""Job learn: questions and units to the hash head, and the encoder as queries need it."""
