"""Files of training examples."""

from __future__ import annotations

from pathlib import Path

import pytest

from factmill.models.answering.example_files import examples_in, open_examples
from factmill.schemas.errors import OptionError


def _read(folder: Path, content: str) -> list[str]:
    path = folder / "examples.json"
    path.write_text(content, encoding="utf-8")
    return examples_in(open_examples(path, "--train-x"), "--train-x", lambda row: row.get("text"))


@pytest.mark.parametrize(
    "content", ['[{"text": "a"}, {"text": "b"}]', '{"text": "a"}\n\n{"text": "b"}\n']
)
def test_examples_are_a_list_or_lines(tmp_path: Path, content: str) -> None:
    assert _read(tmp_path, content) == ["a", "b"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "no example in it"),
        ("[]", "no example in it"),
        ('{"text": "a"}\n{"other": 1}', "object 2 is not an example"),
        ("[3]", "object 1 is not an example"),
        ('{"text": ', "not JSON"),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_files_without_valid_examples_are_refused(
    tmp_path: Path, content: str, message: str
) -> None:
    with pytest.raises(OptionError, match=rf"--train-x .*examples\.json: {message}"):
        _read(tmp_path, content)


def test_open_examples_of_what_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="--train-x"):
        open_examples(tmp_path / "nothing", "--train-x")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(OptionError, match="--train-x"):
        open_examples(tmp_path / "bytes", "--train-x")


def test_open_examples_fingerprint_is_that_of_the_content(tmp_path: Path) -> None:
    for name, content in (("a", "1"), ("b", "1"), ("c", "2")):
        (tmp_path / name).write_text(content)
    a, b, c = (open_examples(tmp_path / name, "--x").fingerprint for name in "abc")
    assert a == b != c
