"""The Prometheus metrics of the service. Names follow OpenTelemetry where it defines one, with
underscores: `http.server.*`, `gen_ai.*`. No metric reveals what was asked.

With several workers, each process writes its numbers into a folder, and any of them adds them up
(`PROMETHEUS_MULTIPROC_DIR`, which `serving.py` sets).
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

from factmill.runtime.answers.answer import Answer
from factmill.schemas.errors import FactmillError

MEDIA_TYPE = CONTENT_TYPE_LATEST
FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
_SECONDS = (0.005, 0.01, 0.02, 0.04, 0.06, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
_TOKENS = (1, 16, 64, 256, 1024, 4096, 16384, 65536)


class Metrics:
    """The metrics of one application."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Histogram(
            "http_server_request_duration_seconds",
            "Seconds from the request's headers to the end of its response.",
            ["http_request_method", "http_route", "http_response_status_code"],
            registry=self.registry,
            buckets=_SECONDS,
        )
        self.active = Gauge(
            "http_server_active_requests",
            "Requests that run.",
            registry=self.registry,
            multiprocess_mode="livesum",
        )
        self.operations = Histogram(
            "gen_ai_client_operation_duration_seconds",
            "Seconds of a retrieval or of an answer.",
            ["gen_ai_operation_name", "factmill_strategy"],
            registry=self.registry,
            buckets=_SECONDS,
        )
        self.tokens = Histogram(
            "gen_ai_client_token_usage",
            "Tokens that the LLM took for an answer.",
            ["gen_ai_operation_name", "gen_ai_token_type", "gen_ai_request_model"],
            registry=self.registry,
            buckets=_TOKENS,
        )
        self.answers = Counter(
            "factmill_answers",
            "Answers given, by whether one was found and cited passages hold it.",
            ["factmill_strategy", "outcome"],
            registry=self.registry,
        )
        self.serving = Gauge(
            "factmill_serving",
            "1 while CURRENT is what answers, 0 while it is refused or damaged.",
            registry=self.registry,
            multiprocess_mode="livemin",
        )

    def note_refused(self, refused: FactmillError | None) -> None:
        """Set whether CURRENT is what answers: `refused` says why not."""
        self.serving.set(0 if refused else 1)

    def searched(self, seconds: float) -> None:
        """Count a search that took so long."""
        self.operations.labels("retrieval", "").observe(seconds)

    def answered(self, answer: Answer, model: str) -> None:
        """Count an answer. `model` is the LLM's name."""
        strategy, ledger = answer.strategy, answer.ledger
        self.operations.labels("invoke_agent", strategy).observe(ledger.elapsed)
        outcome = "found" if answer.known else "not_found"
        self.answers.labels(strategy, "unsupported" if answer.unsupported else outcome).inc()
        if ledger.calls:
            for kind, tokens in (
                ("input", ledger.prompt_tokens),
                ("output", ledger.completion_tokens),
            ):
                self.tokens.labels("chat", kind, model).observe(tokens)

    def text(self) -> bytes:
        """All metrics of all workers in Prometheus' text format."""
        if folder := os.environ.get(FOLDER_VARIABLE):
            _forget_ended(Path(folder))
            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
            return generate_latest(registry)
        return generate_latest(self.registry)


def _forget_ended(folder: Path) -> None:
    """Delete what processes that have ended wrote of themselves while they ran."""
    for file in folder.glob("gauge_live*_*.db"):
        process = int(file.stem.rpartition("_")[2])
        if not _runs(process):
            with suppress(FileNotFoundError):  # another process did it
                mark_process_dead(process, str(folder))  # type: ignore[no-untyped-call]


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
