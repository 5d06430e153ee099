"""What became of a build, in one sentence, and what to do next."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from factmill.schemas.manifest import Manifest
from factmill.schemas.tables import PAGES_TABLE, PROPOSITIONS_TABLE, QA_PAIRS_TABLE
from factmill.transforms.report.build_changes import TableChange
from factmill.transforms.report.input_changes import InputChange

_UNITS = (PROPOSITIONS_TABLE, QA_PAIRS_TABLE)


@dataclass(frozen=True, slots=True)
class PublishVerdict:
    """`kept_because` has the reasons for not publishing the build; it is empty if the build is
    published. `served` is the build that was published before, if any; `store` is the path of its
    store.
    """

    store: str
    served: str | None = None
    lost: str = ""
    found_less: str = ""

    @property
    def kept_because(self) -> list[str]:
        return [reason for reason in (self.lost, self.found_less) if reason]


@dataclass(frozen=True, slots=True)
class NextStep:
    """What to do, and the command for it, "" for none."""

    text: str
    command: str = ""


def headline(
    verdict: PublishVerdict,
    manifest: Manifest,
    tables: Mapping[str, TableChange] | None,
    inputs: Sequence[InputChange],
) -> str:
    """The sentence at the top. `tables` compares the build with the previous one."""
    if verdict.kept_because:
        still = f"{verdict.served} is still served" if verdict.served else "Nothing is served"
        return f"Not published: {'; '.join(verdict.kept_because)}. {still}."
    pages = _number(manifest, tables, (PAGES_TABLE,), "page")
    units = _number(manifest, tables, _UNITS, "unit")
    first = "" if verdict.served else "This is the first build of the store: "
    trouble = ""
    if inputs:
        what = "1 input" if len(inputs) == 1 else f"{len(inputs):,} inputs"
        trouble = f" But {what} broke or shrank: see below."
    return f"Published. {first}{pages} and {units}.{trouble}"


def next_steps(verdict: PublishVerdict, manifest: Manifest, compared: bool) -> list[NextStep]:
    """What to do about a build that was not published; empty for a published one."""
    if not verdict.kept_because:
        return []
    steps = []
    if verdict.lost:
        steps.append(
            NextStep(
                "If input was lost by mistake: fetch or repair what is named under Inputs, and run"
                " the build again."
            )
        )
    if verdict.found_less:
        steps.append(NextStep("Look at the questions that find less, under Quality check."))
    store, build = shlex.quote(verdict.store), shlex.quote(manifest.build_id)
    if compared:
        steps.append(
            NextStep(
                "See all that changed:",
                f"factmill diff {store} --from {shlex.quote(verdict.served or '')} --to {build}",
            )
        )
    steps.append(
        NextStep(
            "If the build is right as it is, publish it:",
            f"factmill rollback {store} --to {build}",
        )
    )
    return steps


def _more_or_fewer(change: int) -> str:
    """A difference in words."""
    if not change:
        return "as before"
    return f"{change:,} more than before" if change > 0 else f"{-change:,} fewer than before"


def _number(
    manifest: Manifest,
    tables: Mapping[str, TableChange] | None,
    names: Sequence[str],
    what: str,
) -> str:
    rows = sum(manifest.tables[name].rows for name in names if name in manifest.tables)
    said = f"{rows:,} {what}" + ("" if rows == 1 else "s")
    if tables is None:
        return said
    change = sum(tables[name].after - tables[name].before for name in names)
    return f"{said} ({_more_or_fewer(change)})"
