"""A query to a table: rows by conditions, a target column, and an operation.

"Which nation won the most gold medals after 1990?"
    target "Nation", MOST of "Gold", where "Year" > 1990
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from factmill.models.answering.tables.row_conditions import Condition
from factmill.models.answering.tables.typed_table import Column


class TableOperation(Enum):
    """What is done with the matching rows."""

    LOOKUP = "the cell"
    COUNT = "how many"
    SUM = "sum"
    MEAN = "mean"
    LEAST = "the least"
    MOST = "the greatest"
    DIFFERENCE = "difference"
    NTH = "the nth row"
    AFTER = "the row after"
    BEFORE = "the row before"


@dataclass(slots=True)
class TableQuery:
    """`order` is the column to compare or count by; `nth` counts from 1, negative from the end.
    `options` are the rows of two compared entities. `wants_all`: several cells are an answer.
    `trust` is from 0 to 1.
    """

    operation: TableOperation
    target: Column
    order: Column | None = None
    conditions: list[Condition] = field(default_factory=list)
    nth: int = 1
    options: tuple[Condition, ...] = ()
    wants_all: bool = False
    trust: float = 1.0
