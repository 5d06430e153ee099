"""Readers: segment -> propositions and QA pairs. `heuristic` needs no network and no weights."""
