"""Options for calling the LLM: parsed once, checked before any work.

The reader and the model affect the content of a build, so they are in its settings. The options
here may differ from run to run.
"""

from __future__ import annotations

import argparse
import importlib.util
from dataclasses import dataclass

from factmill.models.llm.vllm_server import vllm_path
from factmill.models.readers.llm.segment_batches import DEFAULT_BATCH_SEGMENTS
from factmill.schemas.errors import MissingExtra, OptionError

HEURISTIC, LLM = "heuristic", "llm"
DEFAULT_IN_FLIGHT = 32
# Seconds.
DEFAULT_DEADLINE = 600
DEFAULT_MAX_OUTAGE = 300
# One process sustains about this many conversations.
_IN_FLIGHT_PER_PROCESS = 64


@dataclass(frozen=True, slots=True)
class LlmOptions:
    """How to call the LLM. `in_flight` is the number of concurrent requests to a server; `workers`
    processes send them (None: as many as needed), each to its own server when `vllm` names an
    executable to start. `segments` of a page may share a call, `tokens` is the budget of a build,
    `deadline` the seconds for one call and `max_outage` the seconds a server may be down;
    `accelerator` is Beam's hint for the machine of a worker.
    """

    url: str = ""
    in_flight: int = DEFAULT_IN_FLIGHT
    segments: int = DEFAULT_BATCH_SEGMENTS
    tokens: int | None = None
    deadline: float = DEFAULT_DEADLINE
    max_outage: float = DEFAULT_MAX_OUTAGE
    vllm: str = ""
    workers: int | None = None
    accelerator: str = ""

    @classmethod
    def of(cls, options: argparse.Namespace) -> LlmOptions:
        """From the command line."""
        return cls(
            url=options.llm_url,
            in_flight=options.llm_in_flight,
            segments=options.llm_segments,
            tokens=options.max_tokens_total,
            deadline=options.llm_deadline,
            max_outage=options.llm_max_outage,
            vllm=options.llm_vllm,
            workers=options.llm_workers,
            accelerator=options.llm_accelerator,
        )

    def _given(self) -> list[str]:
        """The flags of the options that differ from the default."""
        flags = {
            "url": "--llm-url", "in_flight": "--llm-in-flight", "segments": "--llm-segments",
            "tokens": "--max-tokens-total", "deadline": "--llm-deadline",
            "max_outage": "--llm-max-outage", "vllm": "--llm-vllm", "workers": "--llm-workers",
            "accelerator": "--llm-accelerator",
        }  # fmt: skip
        default = LlmOptions()
        return [
            flag for name, flag in flags.items() if getattr(self, name) != getattr(default, name)
        ]

    @property
    def processes(self) -> int:
        """The number of processes that send requests."""
        if self.workers is not None:
            return self.workers
        if self.vllm or self.tokens:
            return 1
        return 1 + (self.in_flight - 1) // _IN_FLIGHT_PER_PROCESS

    def check(self, reader: str, asks: bool = True, here: bool = False) -> None:
        """Raises OptionError or MissingExtra when these options cannot work; `asks` says whether an
        LLM will be called, `here` whether by processes of this machine.
        """
        if reader != LLM:
            if given := self._given():
                raise OptionError(f"{', '.join(given)}: only with --reader {LLM}")
            return
        if asks and self.url and self.vllm:
            raise OptionError("--llm-url and --llm-vllm name two servers: give one of them")
        if asks and not self.url and not self.vllm:
            raise OptionError(f"--reader {LLM}: needs --llm-url URL or --llm-vllm EXECUTABLE")
        if asks and here and self.vllm:
            vllm_path(self.vllm)
        if self.url and not self.url.startswith(("http://", "https://")):
            raise OptionError(f"--llm-url {self.url}: not an http or https URL")
        if self.tokens is not None and self.processes > 1:
            raise OptionError("--max-tokens-total needs --llm-workers 1: one process counts them")
        for package in ("openai", "tenacity") if asks else ():
            if importlib.util.find_spec(package) is None:
                raise MissingExtra(package, "llm")
