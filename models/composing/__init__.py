"""Composes questions by rule: compounds about one entity, and chains from answer to entity."""
