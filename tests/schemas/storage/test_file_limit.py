from __future__ import annotations

import resource

import pytest

from factmill.schemas.storage.file_limit import allow_files

HARD = 4096


@pytest.fixture(autouse=True)
def limits(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """The limits of a process, the last of which holds: this one keeps its own."""
    found = [(1024, HARD)]
    monkeypatch.setattr(resource, "getrlimit", lambda _: found[-1])
    monkeypatch.setattr(resource, "setrlimit", lambda _, to: found.append(to))
    return found


@pytest.mark.parametrize(("count", "soft"), [(100, 1024), (2000, 2512), (10_000, HARD)])
def test_allow_files_raises_the_soft_limit_as_far_as_the_hard_one(
    limits: list[tuple[int, int]], count: int, soft: int
) -> None:
    allow_files(count)
    assert limits[-1] == (soft, HARD)


def test_allow_files_without_a_hard_limit_allows_any_number(limits: list[tuple[int, int]]) -> None:
    limits.append((1024, resource.RLIM_INFINITY))
    allow_files(10_000)
    assert limits[-1] == (10_512, resource.RLIM_INFINITY)
