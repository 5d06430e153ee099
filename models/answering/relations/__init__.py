"""Sentences that state the relation that is asked for."""
