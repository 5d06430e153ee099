"""Examples of what HANRAG's Revelator does, to train local models and LLMs with."""
