"""Starting Beam jobs: the local runner, remote ones, and what their workers raise."""
