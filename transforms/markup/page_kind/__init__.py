"""What kind of page a page is: an article, a forum, a shop."""
