"""Adapters to other libraries: one module each, imported only where its library is installed."""
