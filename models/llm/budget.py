"""A hard token limit over concurrent requests. Knows nothing of servers."""

from __future__ import annotations

import asyncio
import math

from factmill.schemas.errors import BudgetSpent


class Budget:
    """A token budget.

    Before a request is sent, it reserves the most that it can use; afterwards the reservation is
    replaced by what it used. So the limit holds whatever the answers are, as long as no request
    uses more than it reserved. Reservations are served in order. `spent` begins with what earlier
    runs used.
    """

    def __init__(self, limit: float = math.inf, spent: int = 0) -> None:
        self.limit = limit
        self.spent = spent
        self.reserved = 0
        self._turn = asyncio.Lock()
        self._settled = asyncio.Event()

    async def reserve(self, tokens: int) -> None:
        """Wait until `tokens` fit beside what is spent and reserved.

        Raises BudgetSpent when they do not fit and no reservation is left that could free some.
        """
        async with self._turn:
            while self.spent + self.reserved + tokens > self.limit:
                if not self.reserved:
                    raise BudgetSpent(
                        f"{self.spent:,} of {self.limit:,} tokens are spent and the next request"
                        f" may take {tokens:,}; give --max-tokens-total {self.spent + tokens}"
                        " or more to go on"
                    )
                self._settled.clear()
                await self._settled.wait()
            self.reserved += tokens

    def settle(self, reserved: int, used: int) -> None:
        """Replace a reservation by the tokens used."""
        self.reserved -= reserved
        self.spent += used
        self._settled.set()
