"""Pure functions over records and files, and thin PTransforms over them."""
