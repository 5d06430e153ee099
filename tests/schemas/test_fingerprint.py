"""The fingerprint of code changes with the code and with what is trained beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

import factmill.schemas.fingerprint
from factmill.schemas.fingerprint import code_fingerprint


@pytest.mark.parametrize("name", ["a.py", "deep/a.npz", "a.safetensors", "deep/card.json"])
def test_fingerprint_of_a_folder_changes_with_its_code_and_trained_models(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(factmill.schemas.fingerprint, "_TOP", tmp_path)
    fingerprint = code_fingerprint.__wrapped__
    (tmp_path / "models" / "deep").mkdir(parents=True)
    (tmp_path / "models" / name).write_text("1")
    before = fingerprint(("models",))

    (tmp_path / "models" / "deep" / "notes.txt").write_text("1")
    assert fingerprint(("models",)) == before
    (tmp_path / "models" / name).write_text("2")
    assert fingerprint(("models",)) != before
