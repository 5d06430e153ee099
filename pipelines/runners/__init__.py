"""Starting Beam jobs: the local runner, remote runners, and the errors of their workers."""
