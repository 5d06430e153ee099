"""The kind of a page: an article, a forum, a shop."""
