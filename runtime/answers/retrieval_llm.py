"""An LLM that reads documents together with their retrieval features: R2AG.

    documents, their features -> R2-Former -> embeddings -> prompt -> local LLM, or a vLLM server

The LLM's embeddings are always read locally. With a server, they are sent to it as vectors.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

from factmill.models.answering.r2former.frozen_llm import FrozenLlm
from factmill.models.answering.r2former.r2former import SMOLLM2_FOLDER, R2Former
from factmill.models.answering.r2former.retrieval_prompt import retrieval_prompt
from factmill.models.arrays import Floats
from factmill.models.llm.completion import Completion
from factmill.schemas.errors import OptionError

CPU = "cpu"


@dataclass(frozen=True, slots=True)
class RetrievalLlmFiles:
    """The folder or GGUF file of an LLM, the folder of its R2-Former, and PyTorch's name of the
    device that the LLM computes on."""

    llm: Path
    r2former: Path
    device: str = CPU


class _VectorsServer(Protocol):
    """What completes vectors elsewhere (`models/llm/embedded_completion.py`)."""

    async def complete(
        self, vectors: Any, max_tokens: int, seconds: float, step: str = ""
    ) -> Completion: ...


class RetrievalLlm:
    """An LLM with its R2-Former. A local LLM answers one question at a time."""

    def __init__(
        self, llm: FrozenLlm, r2former: R2Former, server: _VectorsServer | None = None
    ) -> None:
        """Raises ModelMismatch when the R2-Former was trained with another LLM."""
        r2former.check_llm(llm.width)
        self.r2former = r2former
        self._llm, self._server, self._free = llm, server, Lock()

    async def complete(
        self,
        question: str,
        documents: Sequence[str],
        features: Floats,
        max_tokens: int,
        seconds: float,
        step: str,
    ) -> Completion:
        """The LLM's completion. Documents that do not fit are left out, last ones first. Raises
        OptionError for a question that does not fit, Rejected when a server fails.
        """
        prompt = retrieval_prompt(
            question, documents, self._llm.tokenise, self._llm.turn, self._llm.longest - max_tokens
        )
        vectors = self._llm.vectors(prompt, self.r2former.embeddings(features))
        if self._server:
            return await self._server.complete(vectors[0], max_tokens, seconds, step)

        def write() -> Completion:
            with self._free:
                return self._llm.written(vectors, max_tokens)

        return await asyncio.to_thread(write)


@asynccontextmanager
async def retrieval_llm(
    files: RetrievalLlmFiles | None, url: str, model: str, in_flight: int
) -> AsyncIterator[RetrievalLlm | None]:
    """The LLM of these files while the block runs, None without files. It runs locally, or at
    `url`; here with the R2-Former's LoRA adapter, if it has one. Raises OptionError, MissingExtra,
    CorruptStore, and ModelMismatch for another LLM than the R2-Former was trained with.
    """
    if files is None:
        yield None
        return
    r2former = R2Former.load(files.r2former)
    llm = FrozenLlm.load(files.llm, device=files.device)
    if not url:
        r2former.check_llm(llm.width)
        if r2former.card.lora:
            # Imported late: PEFT is slow to import.
            from factmill.models.answering.r2former.lora_adapter import LoraAdapter

            LoraAdapter.load(llm, files.r2former, r2former.card.lora).merge()
        yield RetrievalLlm(llm, r2former)
        return
    # A server has the adapter, by the name of its model. Embeddings are the same without.
    # Imported late: the HTTP client is slow to import, and most strategies do not need it.
    from factmill.models.llm.embedded_completion import EmbeddedCompletions
    from factmill.models.llm.endpoint import Endpoint

    async with EmbeddedCompletions(Endpoint(url, model, in_flight)) as server:
        yield RetrievalLlm(llm, r2former, server)


def files_of(
    llm: Path | None, r2former: Path | None, device: str | None = None
) -> RetrievalLlmFiles | None:
    """The files that the options name; without an R2-Former, the one of the package, which goes
    with SmolLM2-135M-Instruct. Raises OptionError for an R2-Former or a device without an LLM.
    """
    if llm is not None:
        return RetrievalLlmFiles(llm, r2former or SMOLLM2_FOLDER, device or CPU)
    if r2former is not None:
        raise OptionError("--r2former FOLDER needs --llm-folder PATH")
    if device is not None:
        raise OptionError("--device NAME needs --llm-folder PATH")
    return None
