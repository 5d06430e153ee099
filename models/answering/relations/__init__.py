"""Finds sentences that state the requested relation."""
