"""Words: BM25, postings, names of pages."""
