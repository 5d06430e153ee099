"""Text: sentences, language, entities, titles, near-duplicates."""
