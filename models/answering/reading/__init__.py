"""A small model that reads segments for the answer, where rules over words are in doubt."""
