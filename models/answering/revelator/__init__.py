"""Training examples for HANRAG's Revelator, for local models and LLMs."""
