"""The data tables of a page as Markdown."""
