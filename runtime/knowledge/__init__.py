"""Sources of facts beside pages: functions that an LLM may call."""
