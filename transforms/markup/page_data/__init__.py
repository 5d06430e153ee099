"""Structured data of a page (schema.org): items, with their author and date."""
