"""Job compose: QA pairs to composed questions."""
