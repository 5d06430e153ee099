"""HTML: bytes to a tree, and the tree to main text, tables, posts and structured data."""
