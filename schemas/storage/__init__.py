"""Paths of files and objects, written whole or not at all."""
