"""What a tokenizer.json may have, and what is refused before the library runs it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

from factmill.models.encoding.tokenizer_file import tokenizer_of

WORDS = {"[UNK]": 0, "[CLS]": 1, "a": 2}


def _file(**parts: Any) -> dict[str, Any]:
    tokenizer = Tokenizer(models.WordPiece(WORDS, unk_token="[UNK]"))
    for name, part in parts.items():
        setattr(tokenizer, name, part)
    raw: dict[str, Any] = json.loads(tokenizer.to_str())
    return raw


def _read(raw: object) -> Tokenizer:
    return tokenizer_of(json.dumps(raw).encode())


@pytest.mark.parametrize(
    "parts",
    [
        {},
        {
            "normalizer": normalizers.BertNormalizer(),
            "pre_tokenizer": pre_tokenizers.BertPreTokenizer(),
            "post_processor": processors.TemplateProcessing("[CLS] $A", None, [("[CLS]", 1)]),
        },
        {
            "normalizer": normalizers.Sequence(
                [normalizers.Nmt(), normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")]
            ),
            "pre_tokenizer": pre_tokenizers.Sequence(
                [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
            ),
        },
        {
            "pre_tokenizer": pre_tokenizers.ByteLevel(),
            "post_processor": processors.RobertaProcessing(("[CLS]", 1), ("[CLS]", 1)),
        },
    ],
    ids=["bare", "BERT", "XLM-RoBERTa", "RoBERTa"],
)
def test_tokenizers_of_encoders_that_builds_publish_are_read(parts: dict[str, Any]) -> None:
    assert _read(_file(**parts)).token_to_id("a") == 2


def _split(expression: str) -> dict[str, Any]:
    return {
        "type": "Split", "pattern": {"Regex": expression}, "behavior": "Isolated", "invert": False,
    }  # fmt: skip


def _replace(pattern: dict[str, str], content: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": pattern, "content": content}


_TOKEN = {"SpecialToken": {"id": "[CLS]", "type_id": 0}}
_TEMPLATE = {"type": "TemplateProcessing", "single": [_TOKEN], "pair": [], "special_tokens": {}}


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("pre_tokenizer", _split("(a+)+$")),
        ("normalizer", _replace({"Regex": "(a+)+$"}, "")),
        ("normalizer", _replace({"Regex": " {2,}"}, "aa")),
        ("normalizer", _replace({"String": "a"}, "aa")),
        ("normalizer", {"type": "Prepend", "prepend": "a" * 100}),
        ("normalizer", {"type": "Sequence", "normalizers": [_replace({"String": "a"}, "bb")]}),
        ("normalizer", {"type": "Sequence", "normalizers": [{"type": "NFC"}] * 100}),
        (
            "normalizer",
            {"type": "Sequence", "normalizers": [{"type": "Sequence", "normalizers": []}]},
        ),
        ("post_processor", _TEMPLATE),
        ("post_processor", {**_TEMPLATE, "single": [{"Sequence": {"id": "A"}}] * 100}),
        ("model", {"type": "WordPiece", "unk_token": "?", "vocab": WORDS}),
        ("model", {"type": "Unigram", "unk_id": None, "vocab": [["a", 0.0]]}),
        ("model", {"type": "Unigram", "unk_id": 9, "vocab": [["a", 0.0]]}),
        ("model", {"type": "Forest"}),
        ("model", []),
        ("normalizer", "NFC"),
    ],
)
def test_part_that_could_be_forged_is_refused(name: str, part: object) -> None:
    with pytest.raises(ValueError, match="not a tokenizer"):
        _read({**_file(), name: part})


@pytest.mark.parametrize("content", [b"", b"x", b"[]", b"[" * 100_000, b"{}", b"\xff", b"5"])
def test_content_of_another_kind_is_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match="not a tokenizer"):
        tokenizer_of(content)
