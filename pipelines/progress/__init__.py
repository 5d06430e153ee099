"""What a build says while it runs."""
