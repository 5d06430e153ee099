"""Hard negatives: the units nearest to a query that come from another page than its source."""

from __future__ import annotations

import numpy as np

from factmill.models.arrays import Floats
from factmill.models.codes.hash_examples import Rows
from factmill.schemas.progress_events import report_progress

_QUERIES_AT_ONCE = 256


def hard_negatives(
    queries: Floats, units: Floats, groups: Rows, own: Rows, count: int, device: str = "cpu"
) -> Rows:
    """Rows of `units` for each query, shape (queries, count), nearest first.

    `units` (n, dimension) and `queries` (m, dimension) have unit length; `groups` (n,) is the page
    of each unit, `own` (m,) the page that answers each query. If other pages have too few units,
    the last one is repeated; -1 if there is none.
    """
    import torch

    found = np.full((len(queries), count), -1, dtype=np.int64)
    if not len(units) or not count:
        return found
    matrix = torch.from_numpy(units).to(device)
    pages = torch.from_numpy(groups).to(device)
    for start in range(0, len(queries), _QUERIES_AT_ONCE):
        report_progress("comparing", start, len(queries))
        rows = slice(start, start + _QUERIES_AT_ONCE)
        scores = torch.from_numpy(queries[rows]).to(device) @ matrix.T
        scores[pages[None, :] == torch.from_numpy(own[rows]).to(device)[:, None]] = -torch.inf
        values, columns = scores.topk(min(count, len(units)), dim=1)
        kept = (values > -torch.inf).sum(dim=1)
        # The last one kept is repeated for missing ones.
        last = (kept - 1).clamp(min=0)[:, None]
        order = torch.minimum(torch.arange(count, device=device)[None, :], last)
        chosen = columns.gather(1, order)
        chosen[kept == 0] = -1
        found[rows] = chosen.cpu().numpy()
    return found
