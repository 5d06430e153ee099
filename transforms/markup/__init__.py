"""HTML: bytes to a tree, and the tree to main text and tables."""
