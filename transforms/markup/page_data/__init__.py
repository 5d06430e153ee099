"""What a page says in data for search engines: things of schema.org, their author and date."""
