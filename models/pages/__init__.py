"""Learned models of pages: their kind, and which of their blocks are main content."""
