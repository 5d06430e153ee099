"""Sources of facts beside pages: functions that an LLM may ask to be called."""
