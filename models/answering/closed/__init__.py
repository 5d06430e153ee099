"""Yes or no: whether a sentence, a line or a cell says what a closed question asks."""
