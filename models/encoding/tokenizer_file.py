"""Reads a `tokenizer.json` that may be forged.

The library tokenizers runs what the file says: regular expressions that may take for ever,
replacements that let a text grow a millionfold, parts that refer to tokens which are not there. For
some of these it ends the process. So a file may only have the parts that tokenizers of published
encoders have (BERT, RoBERTa, XLM-RoBERTa, CamemBERT, MPNet).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_MODELS = frozenset({"WordPiece", "BPE", "Unigram", "WordLevel"})
# Parts without anything that could be forged, or with rules below.
_PARTS = {
    "normalizer": frozenset(
        {"BertNormalizer", "NFC", "NFD", "NFKC", "NFKD", "Nmt", "Lowercase", "Strip",
         "StripAccents", "Precompiled", "Prepend", "Replace", "Sequence"}
    ),
    "pre_tokenizer": frozenset(
        {"BertPreTokenizer", "ByteLevel", "Metaspace", "Whitespace", "WhitespaceSplit",
         "Punctuation", "Digits", "Sequence"}
    ),
    "post_processor": frozenset(
        {"BertProcessing", "RobertaProcessing", "ByteLevel", "TemplateProcessing", "Sequence"}
    ),
    "decoder": frozenset(
        {"WordPiece", "ByteLevel", "Metaspace", "BPEDecoder", "ByteFallback", "Fuse", "Strip",
         "Replace", "Sequence"}
    ),
}  # fmt: skip
_MEMBERS = {
    "normalizer": "normalizers", "pre_tokenizer": "pretokenizers",
    "post_processor": "processors", "decoder": "decoders",
}  # fmt: skip
# Several blanks become one.
_EXPRESSIONS = frozenset({" {2,}"})
# A sequence of parts, and the items of a template.
_MAX_MEMBERS = 16
_MAX_PREPENDED = 8
_MAX_WORD = 1000


def tokenizer_of(content: bytes) -> Tokenizer:
    """The tokenizer of a file. Raises ValueError for a file that is none, or has parts that
    published encoders do not have.
    """
    from tokenizers import Tokenizer

    try:
        text = content.decode("utf-8")
        _check(json.loads(text))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError(f"not a tokenizer of a published encoder ({error})") from None
    try:
        return Tokenizer.from_str(text)
    except Exception as error:
        # The package raises plain Exception for an invalid tokenizer; anything else is a bug.
        if type(error) is not Exception:
            raise
        raise ValueError(f"not a tokenizer ({error})") from None


def _check(raw: dict[str, Any]) -> None:
    for part in _PARTS:
        if raw.get(part) is not None:
            _check_part(part, raw[part])
    _check_model(raw["model"])


def _check_part(name: str, part: dict[str, Any], inside: bool = False) -> None:
    kind = part["type"]
    if kind not in _PARTS[name] or (inside and kind == "Sequence"):
        raise ValueError(f"its {name} is a {kind}")
    if kind == "Sequence":
        members = part[_MEMBERS[name]]
        if len(members) > _MAX_MEMBERS:
            raise ValueError(f"its {name} has {len(members)} parts")
        for member in members:
            _check_part(name, member, inside=True)
    elif kind == "Replace":
        _check_replacement(part["pattern"], part["content"])
    elif kind == "Prepend" and len(part["prepend"]) > _MAX_PREPENDED:
        raise ValueError("it prepends a long text")
    elif kind == "TemplateProcessing":
        _check_template(part)


def _check_replacement(pattern: dict[str, str], content: str) -> None:
    """Raises ValueError for a replacement that lets texts grow, and for any other expression."""
    if list(pattern) == ["Regex"] and pattern["Regex"] not in _EXPRESSIONS:
        raise ValueError(f"it looks for {pattern['Regex'][:40]!r}")
    (shortest,) = pattern.values()
    if len(content) > (1 if "Regex" in pattern else len(shortest)):
        raise ValueError("it replaces texts by longer ones")


def _check_template(template: dict[str, Any]) -> None:
    for items in (template["single"], template["pair"]):
        if len(items) > _MAX_MEMBERS:
            raise ValueError(f"its template has {len(items)} items")
        for item in items:
            if "SpecialToken" in item:
                special = template["special_tokens"][item["SpecialToken"]["id"]]
                if len(special["ids"]) > _MAX_MEMBERS:
                    raise ValueError(f"a token stands for {len(special['ids'])} others")


def _check_model(model: dict[str, Any]) -> None:
    kind = model["type"]
    if kind not in _MODELS:
        raise ValueError(f"its model is a {kind}")
    if kind in ("WordPiece", "WordLevel") and model["unk_token"] not in model["vocab"]:
        raise ValueError("it has no token for unknown words")
    if kind == "Unigram" and model["unk_id"] is None:
        raise ValueError("it has no token for unknown words")
    if model.get("max_input_chars_per_word", 0) > _MAX_WORD:
        raise ValueError("it cuts words of any length")
