"""The files of a LoRA adapter, in the form of PEFT, which vLLM serves.

    FOLDER/adapter_config.json         rank, alpha, dropout, adapted matrices
           adapter_model.safetensors   two factors for each adapted matrix, float32

They are read without PEFT, and not trusted: nothing is unpickled, and no more is read than the LLM
and the rank ask for. Other kinds of adapters are refused.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from factmill.models.answering.r2former.lora_card import ADAPTED, SAMPLED, LoraCard, LoraSettings
from factmill.models.encoding.model_cards import read_card
from factmill.schemas.errors import CorruptStore, ModelMismatch
from factmill.schemas.storage.atomic import whole_file
from factmill.schemas.storage.paths import StoragePath, local_copy

CONFIG, TENSORS = "adapter_config.json", "adapter_model.safetensors"
# How PEFT names the factors of a matrix of the LLM.
_PREFIX, _FACTORS = "base_model.model.", ("lora_A.weight", "lora_B.weight")
# The form of adapter that is written here; PEFT and vLLM know others.
_FORM = {
    "peft_type": "LORA", "task_type": "CAUSAL_LM", "bias": "none", "fan_in_fan_out": False,
    "inference_mode": True, "init_lora_weights": True, "modules_to_save": None,
    "target_modules": sorted(ADAPTED), "use_dora": False, "use_rslora": False,
}  # fmt: skip
# Beside the tensors: the header of a safetensors file.
_MAX_HEADER_BYTES = 1 << 20


def factor_shapes(model: Any, rank: int) -> dict[str, tuple[int, ...]]:
    """The name and shape of each factor of an adapter for this LLM, a model of transformers."""
    shapes: dict[str, tuple[int, ...]] = {}
    for name, matrix in _matrices(model):
        rows, columns = matrix.shape
        factors = (rank, columns), (rows, rank)
        for factor, shape in zip(_FACTORS, factors, strict=True):
            shapes[f"{_PREFIX}{name}.{factor}"] = shape
    return shapes


def sampled_weights(model: Any) -> list[float]:
    """Some weights of an LLM's first adapted matrix, evenly spread."""
    _, matrix = next(_matrices(model))
    rows = torch.linspace(0, matrix.shape[0] - 1, SAMPLED).long().to(matrix.device)
    columns = torch.arange(SAMPLED, device=matrix.device) * 7 % matrix.shape[1]
    return [round(one, 6) for one in matrix[rows, columns].float().tolist()]


def _matrices(model: Any) -> Any:
    """The name and weight of each matrix that an adapter adds to, before it does."""
    for name, module in model.named_modules():
        if name.rpartition(".")[2] in ADAPTED:
            yield name, module.weight


def save_adapter(
    folder: Path, settings: LoraSettings, base: str, tensors: Mapping[str, Tensor]
) -> str:
    """Write an adapter; `base` is the LLM's name. Returns the fingerprint of its files."""
    folder.mkdir(parents=True, exist_ok=True)
    config = {
        **_FORM, "base_model_name_or_path": base, "r": settings.rank,
        "lora_alpha": settings.alpha, "lora_dropout": settings.dropout,
    }  # fmt: skip
    contents = {
        TENSORS: save({name: one.detach().float().cpu() for name, one in tensors.items()},
                      {"format": "pt"}),
        CONFIG: (json.dumps(config, indent=1, sort_keys=True) + "\n").encode(),
    }  # fmt: skip
    for name, content in contents.items():
        with whole_file(folder / name) as temporary:
            temporary.write_bytes(content)
    return _fingerprint(*contents.values())


def read_adapter(
    folder: StoragePath, card: LoraCard, model: Any
) -> tuple[LoraSettings, dict[str, Tensor]]:
    """The settings and factors of an adapter for this LLM, a model of transformers. Raises
    CorruptStore for files that are damaged or missing, ModelMismatch for another rank than the card
    says, and for another LLM.
    """
    settings = read_card(folder / CONFIG, _settings, "a LoRA adapter")
    if settings.rank != card.rank:
        raise ModelMismatch(
            f"{folder / CONFIG}: an adapter of rank {settings.rank}, the card says {card.rank}"
        )
    path, shapes = folder / TENSORS, factor_shapes(model, settings.rank)
    try:
        local, config = (Path(local_copy(one)) for one in (path, folder / CONFIG))
        with safe_open(local, framework="pt") as file:
            names = list(file.keys())
            found = {name: tuple(file.get_slice(name).get_shape()) for name in names}
            if found != shapes:
                raise ModelMismatch(f"{path}: {_difference(found, shapes)}")
            most = 4 * sum(a * b for a, b in shapes.values()) + _MAX_HEADER_BYTES
            if local.stat().st_size > most:
                raise ValueError(f"longer than {most} bytes")
            if _fingerprint(local.read_bytes(), config.read_bytes()) != card.fingerprint:
                raise ValueError("not the files that the card names")
            tensors = {name: file.get_tensor(name) for name in names}
    except (OSError, SafetensorError, ValueError) as error:
        raise CorruptStore(f"{path}: not the factors of a LoRA adapter ({error})") from None
    for name, values in tensors.items():
        if values.dtype != torch.float32 or not bool(torch.isfinite(values).all()):
            raise CorruptStore(f"{path}: {name} holds a value that is not a float32 number")
    card.check_base(sampled_weights(model))
    return settings, tensors


def _settings(text: bytes) -> LoraSettings:
    """Those of a file. Raises ValueError, TypeError and KeyError for another kind of adapter."""
    found = json.loads(text)
    if not isinstance(found, dict):
        raise ValueError("no settings")
    for name, value in _FORM.items():
        if found.get(name) != value:
            raise ValueError(f"{name} {found.get(name)!r}, not {value!r}"[:200])
    return LoraSettings(found["r"], found["lora_alpha"], found["lora_dropout"])


def _difference(found: Mapping[str, tuple[int, ...]], shapes: Mapping[str, tuple[int, ...]]) -> str:
    """One thing by which an adapter does not fit an LLM."""
    for name, shape in shapes.items():
        if found.get(name) != shape:
            return f"{name} of shape {found.get(name)}, the LLM needs {shape}"
    return f"{min(found.keys() - shapes.keys())} is nothing of this LLM"


def _fingerprint(tensors: bytes, config: bytes) -> str:
    digest = hashlib.sha256(config)
    digest.update(tensors)
    return f"lora-{digest.hexdigest()[:16]}"
