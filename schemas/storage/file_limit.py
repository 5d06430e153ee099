"""The number of files that a process may open at once."""

from __future__ import annotations

import resource

# Other open files of a process: libraries, inputs, and connections to a few other processes.
_OTHER_FILES = 512


def allow_files(count: int) -> None:
    """Let this process and its children open `count` files and some hundred others, as far as the
    system allows.
    """
    wanted = count + _OTHER_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < wanted:
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, most), hard))
