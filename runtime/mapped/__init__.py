"""Files of an index, mapped into memory."""
