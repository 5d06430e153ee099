"""Every error that factmill raises on purpose.

FactmillError
├── OptionError        an option or argument is wrong: one line, exit code 2
│   ├── NotInBuild     what is asked for is right, but this build lacks it
│   └── ModelMismatch  a model was trained for another encoder, LLM or number of documents
├── MissingExtra       a package of an optional extra is not installed
├── Rejected           one record cannot be used: it becomes a row of a reject table
├── NoSuchRow          no page, segment or unit of the build has this id
├── BuildError         a build cannot be finished or published
│   ├── ServerDown     the LLM server answers nobody; a later run goes on
│   ├── BudgetSpent    the tokens that may be spent are spent; a later run goes on
│   ├── NoSpace        the disk is full; a later run goes on
│   ├── Locked         another process builds in this store; exit code 4
│   └── NotPublished   a build is whole and kept, but was not published; exit code 3
└── StoreError         a store cannot be used
    ├── Unreachable    an object store does not answer, or refuses
    ├── NoIndex        nothing is published there; exit code 2
    ├── WrongFormat    it was written by an incompatible version
    └── CorruptStore   a file is not what the manifest says
"""

from __future__ import annotations


class FactmillError(Exception):
    """Base of all of them; what the command line prints as one line."""


class OptionError(FactmillError):
    """An option or argument is wrong; the command exits with code 2."""


class NotInBuild(OptionError):
    """What is asked for needs a table, a column or vectors that the open build lacks."""


class ModelMismatch(OptionError):
    """A model is sound, but was trained for another encoder, LLM or number of documents."""


class MissingExtra(FactmillError):
    """A package of an optional extra is needed and not installed."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package} is not installed; run: pip install 'factmill[{extra}]'")


class Rejected(FactmillError):
    """A record cannot be used. `reason` is a short code that is counted, `detail` is for people."""

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
    """A build cannot be finished or published; what was published before stays."""


class ServerDown(BuildError):
    """The LLM server answers nobody. What was answered is kept; the same command goes on."""


class BudgetSpent(BuildError):
    """The tokens that may be spent are spent. What was answered is kept."""


class NoSpace(BuildError):
    """The disk, or what may be used of it, is full. The same command goes on once there is room."""


class Locked(BuildError):
    """Another process builds in this store, or took over from this one."""


class NotPublished(BuildError):
    """A build is whole and is kept, and what was published before stays published."""


class StoreError(FactmillError):
    """A store cannot be used."""


class Unreachable(StoreError):
    """An object store does not answer, or refuses; what it holds cannot be seen."""


class NoIndex(StoreError):
    """Nothing is published in this store."""


class WrongFormat(StoreError):
    """The build was written in a format that this version does not read."""


class CorruptStore(StoreError):
    """A file of the build is missing or not what the manifest says."""
