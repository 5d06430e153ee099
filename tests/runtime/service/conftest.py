"""One service for all tests of a process, over a small store."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import httpx
import pytest

from factmill.runtime.index import Index
from factmill.runtime.opening import open_index
from factmill.runtime.service.service_settings import ServiceLimits, ServiceSettings
from factmill.schemas.layout import BuildDir
from tests.runtime.service.live_service import live_service
from tests.runtime.tiny_build import FakeEncoder, tiny_build

# What a test waits for comes soon.
LIMITS = ServiceLimits(body_seconds=0.5, header_seconds=0.5, connections=64)


@pytest.fixture(scope="package", autouse=True)
def _fake_encoder() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("factmill.runtime.index.query_encoder", lambda *_: FakeEncoder())
        yield


@pytest.fixture(scope="package")
def served(tmp_path_factory: pytest.TempPathFactory) -> BuildDir:
    """The build that is served. Tests must not change it."""
    return tiny_build(tmp_path_factory.mktemp("service") / "store")


@pytest.fixture(scope="package")
def settings(served: BuildDir) -> ServiceSettings:
    return ServiceSettings(str(served.store.root), limits=LIMITS)


@pytest.fixture(scope="package")
def client(settings: ServiceSettings) -> Iterator[httpx.Client]:
    with live_service(settings) as client:
        yield client


@pytest.fixture(scope="package")
def closed(settings: ServiceSettings) -> Iterator[httpx.Client]:
    """A service that asks for a token and has a name."""
    tokens = ("first-token", "second-token")
    with live_service(replace(settings, tokens=tokens, hosts=("facts.example",))) as client:
        yield client


@pytest.fixture(scope="package")
def index(served: BuildDir) -> Index:
    """What is served, asked without the service."""
    return open_index(served.store.root)
