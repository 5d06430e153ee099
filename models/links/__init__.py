"""Names that lead from one page to another."""
