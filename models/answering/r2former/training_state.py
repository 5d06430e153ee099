"""The progress of a training on disk, so that a killed process can resume.

One safetensors file has the weights, Adam's two moments, the step, and the identity of the training
(settings and data), so that no other training resumes from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from factmill.schemas.errors import CorruptStore, ModelMismatch
from factmill.schemas.storage.atomic import whole_file

_MOMENTS = ("exp_avg", "exp_avg_sq")


def save_state(
    path: Path,
    step: int,
    identity: str,
    parameters: Mapping[str, Tensor],
    optimiser: torch.optim.Adam,
) -> None:
    """Write the state after `step` steps, atomically."""
    tensors = {f"weight {name}": one.detach() for name, one in parameters.items()}
    for name, parameter in parameters.items():
        for moment in _MOMENTS:
            tensors[f"{moment} {name}"] = optimiser.state[parameter][moment]
    content = save(tensors, {"step": str(step), "identity": identity})
    with whole_file(path) as temporary:
        temporary.write_bytes(content)


def load_state(
    path: Path, identity: str, parameters: Mapping[str, Tensor], optimiser: torch.optim.Adam
) -> int:
    """Restore parameters and optimiser from a file; returns the number of steps taken, 0 without a
    file. Raises ModelMismatch for the state of another training, CorruptStore.
    """
    if not path.is_file():
        return 0
    try:
        with safe_open(path, framework="pt") as file:
            about = file.metadata() or {}
            step = int(about["step"])
            if about["identity"] != identity:
                raise ModelMismatch(
                    f"{path}: a training with other settings or data; remove it to begin anew"
                )
            for name, parameter in parameters.items():
                with torch.no_grad():
                    parameter.copy_(file.get_tensor(f"weight {name}"))
                optimiser.state[parameter] = {
                    "step": torch.tensor(float(step)),
                    **{
                        moment: file.get_tensor(f"{moment} {name}").to(parameter.device)
                        for moment in _MOMENTS
                    },
                }
    except (OSError, SafetensorError, KeyError, ValueError, RuntimeError) as error:
        raise CorruptStore(f"{path}: not the state of a training ({error})") from None
    return step
