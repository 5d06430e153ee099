"""The posts of a thread: where each stands in a page, who said it and when."""
