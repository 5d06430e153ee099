"""Processes that extract pages. Starting one takes half a second, so it is reused for the next
split.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from factmill.schemas.records import Reject
from factmill.transforms.clean.bounded_process import BoundedProcess
from factmill.transforms.clean.clean_options import CleanOptions
from factmill.transforms.clean.extract_page import ExtractedPage, extract_page, load_models
from factmill.transforms.inputs.raw_page import RawPage
from factmill.transforms.tasks.fork_server import load

PageProcess = BoundedProcess[RawPage, ExtractedPage | Reject]
_idle: dict[CleanOptions, list[PageProcess]] = {}


@contextmanager
def page_process(options: CleanOptions) -> Iterator[PageProcess]:
    """An idle process, or a new one."""
    idle = _idle.setdefault(options, [])
    try:
        process = idle.pop()
    except IndexError:
        work = partial(
            extract_page,
            languages=frozenset(options.languages),
            kinds=frozenset(options.kinds),
        )
        process = BoundedProcess(work, options.limits, load_models)
    try:
        yield process
    finally:
        idle.append(process)


def load_page_models() -> None:
    """Have the models loaded once for all processes to come, while this process does other work.
    Does nothing where they are not forked.
    """
    load(load_models)


def end_idle_processes() -> None:
    """End the idle processes: no more pages come, and later steps need the memory."""
    for idle in _idle.values():
        while idle:
            idle.pop().close()
