"""How long a question may be, in characters, for rules whose time grows faster than its length.

A longer question is still searched for, and sentences that fit it are still weighed.
"""

from __future__ import annotations

# For plans, relations and tables, whose time grows with the square of the length, or with the
# length times the cells of a table.
MAX_ANALYSED = 2000
# For patterns that a whole question must match ("Who was mayor before Ann Lee?").
MAX_OF_PATTERN = 300
