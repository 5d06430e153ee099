"""Every error that may reach a caller or the command line. Those that steer one module stand in it.

FactmillError
├── OptionError        a wrong option or argument: one line, exit code 2
│   ├── NotInBuild     a valid request for data that this build lacks
│   ├── ReadOnlyStore  the command writes to the store, and may not
│   └── ModelMismatch  a model was trained for another encoder, LLM or number of documents
├── MissingExtra       a package of an optional extra is not installed
├── Rejected           one record cannot be used; it becomes a row of a reject table
├── NoSuchRow          no page, segment or unit of the build has this id
├── BuildError         a build cannot be finished or published
│   ├── ServerDown     the LLM server does not respond; a later run resumes
│   ├── BudgetSpent    the token budget is used up; a later run resumes
│   ├── NoSpace        the disk is full; a later run resumes
│   ├── Locked         another process is building in this store; exit code 4
│   └── NotPublished   a build is complete and kept, but not published; exit code 3
└── StoreError         a store cannot be used
    ├── Unreachable    an object store does not respond or refuses access
    ├── NoIndex        nothing is published; exit code 2
    ├── WrongFormat    written by an incompatible version of factmill
    └── CorruptStore   a file differs from what the manifest says
"""

from __future__ import annotations

import errno
from typing import Any

# Numbers of errors of the system that mean that a disk is full: NoSpace.
DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
# Those that mean that nothing may be written: ReadOnlyStore.
NOT_WRITABLE = (errno.EROFS, errno.EACCES, errno.EPERM)


class FactmillError(Exception):
    """Base class of all errors here; the command line prints it as one line."""

    def __reduce__(self) -> tuple[Any, ...]:
        # The default calls the constructor with the message alone: a pool of processes would wait
        # for ever for an error whose constructor takes more.
        return Exception.__new__, (type(self), *self.args), self.__dict__


class OptionError(FactmillError):
    """A wrong option or argument; the command exits with code 2."""


class NotInBuild(OptionError):
    """The request is valid, but the open build lacks the table, column or vectors it needs."""


class ReadOnlyStore(OptionError):
    """The store is on read-only media, or belongs to somebody else."""

    def __init__(self, store: object, reason: str | None) -> None:
        super().__init__(f"{store}: {reason}; this command writes to the store")


class ModelMismatch(OptionError):
    """A valid model that was trained for another encoder, LLM or number of documents."""


class MissingExtra(FactmillError):
    """A package of an optional extra is needed but not installed."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package} is not installed; run: pip install 'factmill[{extra}]'")


class Rejected(FactmillError):
    """A record that cannot be used. `reason` is a short code to count by, `detail` is for
    people.
    """

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.detail = detail


class NoSuchRow(FactmillError):
    """No row of the build has this id. `what` is "page", "segment" or "unit"."""

    def __init__(self, what: str, row_id: str) -> None:
        super().__init__(f"no {what} has the id {row_id[:100]!r}")
        self.what = what


class BuildError(FactmillError):
    """A build cannot be finished or published; the published build stays as it was."""


class ServerDown(BuildError):
    """The LLM server does not respond. Answers so far are kept; a rerun of the command resumes."""


class BudgetSpent(BuildError):
    """The token budget is used up. The answers so far are kept."""


class NoSpace(BuildError):
    """The disk or a quota is full. Rerunning the command resumes once there is room."""


class Locked(BuildError):
    """Another process is building in this store, or has taken the lock over from this one."""


class NotPublished(BuildError):
    """The build is complete and kept, but the published build was not replaced."""


class StoreError(FactmillError):
    """A store cannot be used."""


class Unreachable(StoreError):
    """An object store does not respond or refuses access, so its contents are unknown."""


class NoIndex(StoreError):
    """Nothing is published in this store."""


class WrongFormat(StoreError):
    """The build was written in a format that this version does not read."""


class CorruptStore(StoreError):
    """A file of the build is missing or differs from what the manifest says."""
