"""Job extract: segments to propositions and QA pairs."""
