"""The reader that needs no network and no weights: rules for English, deterministic."""
