"""The posts of a thread: their spans, authors and dates."""
