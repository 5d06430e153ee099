"""Composed questions by rule: compounds over one entity, and chains from answer to entity."""
