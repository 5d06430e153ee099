"""A packaged network that scores the spans of segments and rows, where rules are in doubt."""
