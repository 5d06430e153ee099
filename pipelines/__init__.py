"""Beam jobs, wiring only, and the command line over them and the runtime."""
