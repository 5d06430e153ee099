"""An adapter in an R2-Former's folder under a real vLLM: prompts with embeddings are read alike.

The reference is the LLM with the factors multiplied and added to its matrices here, without PEFT.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

from factmill.models.answering.r2former.frozen_llm import FrozenLlm
from factmill.models.answering.r2former.lora_card import LoraSettings
from factmill.models.answering.r2former.lora_files import factor_shapes, save_adapter
from factmill.models.llm.embedded_completion import embedded_request
from factmill.models.llm.endpoint import Endpoint
from tests.models.answering.r2former.next_logits import next_logits
from tests.models.answering.r2former.tiny_r2former import tiny_r2former
from tests.vllm.test_prompt_embeddings import CLOSE, Served
from tests.vllm.tiny_model import make_model, serve_model

pytestmark = pytest.mark.timeout(1200)  # the test waits for the server

NAME, SETTINGS = "with-adapter", LoraSettings(16, 32)


def draw_adapter(folder: Path, llm: FrozenLlm) -> dict[str, torch.Tensor]:
    """The factors of an adapter that is written there."""
    draw = torch.Generator().manual_seed(0)
    factors = {
        name: 0.1 * torch.randn(shape, generator=draw)
        for name, shape in factor_shapes(llm.model, SETTINGS.rank).items()
    }
    save_adapter(folder, SETTINGS, llm.name, factors)
    return factors


def add_factors(llm: FrozenLlm, factors: dict[str, torch.Tensor]) -> None:
    matrices = dict(llm.model.named_parameters())
    for name, factor in factors.items():
        matrix, _, which = name.removeprefix("base_model.model.").rpartition(".lora_")
        if which == "B.weight":
            added = factor @ factors[name.replace("lora_B", "lora_A")]
            with torch.no_grad():
                matrices[f"{matrix}.weight"] += SETTINGS.alpha / SETTINGS.rank * added


@pytest.fixture(scope="module")
def served(vllm: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, Served]]:
    """The LLM alone and with the adapter, at one server."""
    model, folder = (tmp_path_factory.mktemp(name) for name in ("model", "r2former"))
    make_model(model, ["Who designed the lighthouse of Saltmere?"])
    alone, adapted = FrozenLlm.load(model), FrozenLlm.load(model)
    add_factors(adapted, draw_adapter(folder, alone))
    r2former = tiny_r2former(llm_width=alone.width)
    options = ("--enable-lora", "--lora-modules", f"{NAME}={folder}")
    with serve_model(vllm, str(model), *options) as url:
        yield (
            Served(alone, r2former, Endpoint(url, str(model))),
            Served(adapted, r2former, Endpoint(url, NAME)),
        )


def test_the_model_of_the_adapters_name_reads_with_it_and_the_other_without(
    served: tuple[Served, Served],
) -> None:
    for one in served:
        vectors = one.vectors(10, 4000)
        assert one.difference(vectors, embedded_request(one.endpoint.model, vectors[0], 1)) < CLOSE
    alone, adapted = (next_logits(one.llm, one.vectors(10, 4000)) for one in served)
    assert np.abs(alone - adapted).max() > 0.1


def test_the_same_answer_is_written(served: tuple[Served, Served]) -> None:
    _, adapted = served
    vectors = adapted.vectors(10, 4000)

    said, expected = adapted.complete(vectors, 12), adapted.llm.written(vectors, 12)

    # vLLM leaves out what begins a character and does not end it; tokens here are bytes.
    assert said.text.rstrip("\ufffd") == expected.text.rstrip("\ufffd")
    assert said.usage == expected.usage
