"""Which retrieved documents help to answer a question."""
