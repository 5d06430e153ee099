"""The index as other libraries ask for it, a module for each. Only who has the library imports it."""
