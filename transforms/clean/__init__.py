"""Job clean: input files to pages, segments and rejects."""
