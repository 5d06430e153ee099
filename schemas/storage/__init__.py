"""Paths of files and objects, written completely or not at all."""
