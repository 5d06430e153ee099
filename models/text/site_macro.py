"""The site of a page for queries in SQL."""

from __future__ import annotations

# For DuckDB; of canonical URLs as `site_of` in models/text/sites.py.
SITE_OF_SQL = r"""
CREATE OR REPLACE MACRO site_of(url) AS regexp_replace(
    trim(regexp_extract(
        lower(url), '^(?:[a-z][a-z0-9+.-]*:)?//(?:[^/?#]*@)?(\[[^\]/?#]*\]|[^/?#:\[]*)', 1
    ), '[]'),
    '^www\.', ''
)
"""
