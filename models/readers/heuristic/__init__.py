"""The rule-based reader: rules for English, without network, deterministic."""
