"""What jobs share: resumable tasks, heartbeats, shard files."""
