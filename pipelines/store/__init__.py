"""What happens to builds of a store: lock, gate, publishing, rollback, garbage collection."""
