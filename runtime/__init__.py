"""Opens a published index and answers queries from it.

from factmill.runtime import open_index
for hit in open_index("STORE").search("who designed the Eiffel Tower?", k=20): ...
"""

from factmill.runtime.index import Hit, Index, UnitHit
from factmill.runtime.opening import open_index

__all__ = ["Hit", "Index", "UnitHit", "open_index"]
