"""The builds of a store: lock, quality check, publishing, rollback, garbage collection."""
