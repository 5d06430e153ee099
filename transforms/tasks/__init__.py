"""Shared by all jobs: resumable tasks, heartbeats, shard files."""
