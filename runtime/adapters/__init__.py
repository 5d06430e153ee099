"""The index as other libraries ask for it, a module for each, imported by who has the library."""
