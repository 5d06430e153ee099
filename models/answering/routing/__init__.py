"""Which way a question is answered: by itself, in one step, in parts, or step after step."""
