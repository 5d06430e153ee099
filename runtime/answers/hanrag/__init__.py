"""The strategy `hanrag`: a Revelator decides how a question is answered and what the LLM sees."""
