"""Parses JSON as LLMs write it: inside prose, with trailing commas, comments, other quotes or none,
or cut off.

It makes one pass, without recursion, and stops where values nest too deep or are too many to be an
answer, so that no text takes long. (The json_repair package takes seconds for some 10,000
characters of brackets or quotes.)
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

# Some servers' grammars allow raw line breaks in strings.
_DECODER = json.JSONDecoder(strict=False)
_MAX_DEPTH = 32
MAX_CHARACTERS = 200_000
# More keys, values and brackets than an LLM writes in one reply.
_MAX_STEPS = 40_000
# The json module counts the lines before an error, so it is not tried for ever.
_MAX_ERRORS = 200
_THINKING = re.compile(r"\s*(?:<think(?:ing)?>|\[THINK\])")
_THOUGHT = re.compile(r"</think(?:ing)?>|\[/THINK\]")
_SPACE = re.compile(r"[\s,]*")
_START = re.compile(r"[{\[]")
_SPECIAL = re.compile(r'["\\]')
_AFTER_STRING = re.compile(r"\s{0,9}(?:[,:}\]]|$)")
_BARE = re.compile(r"[^\s,:{}\[\]\"]{1,40}")
# A value without quotes may have several words: 3 May 1921. In an object it ends before the next
# key, in an array at a comma, on its line at the latest.
_BARE_MEMBER = re.compile(
    r"[^\n{}\[\]\"]{1,400}?"
    r"(?=\s{0,9}(?:,\s{0,9}(?:[\"'}]|[A-Za-z_]\w{0,40}['\"]?\s{0,9}:)|[}\]\n]|$))"
)
_BARE_ITEM = re.compile(r"[^\n,{}\[\]\"]{1,400}")
_COMMENT = re.compile(r"(?:^|\s)(?://|/\*).*|\s#.*")
# The end of a string in single quotes, which is on one line and not too long.
_SINGLE_END = re.compile(r"(?<!\\)'(?=\s{0,9}(?:[,:}\]]|$))")
_MAX_SINGLE = 200
_ESCAPED = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)")
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_CONSTANTS = {
    "true": True, "false": False, "null": None, "True": True, "False": False, "None": None
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class JsonValue:
    """An object or array in a text. `open_keys`: the keys that lead to where it was cut off."""

    value: dict[str, Any] | list[Any]
    complete: bool = True
    open_keys: tuple[str | int, ...] = ()


def json_values(text: str, truncated: bool = False) -> list[JsonValue]:
    """The JSON values of an answer, without those in the reasoning before it. An answer that was
    `truncated` within its reasoning has none.
    """
    text = text[:MAX_CHARACTERS]
    thoughts = list(_THOUGHT.finditer(text))
    if thoughts:
        text = text[thoughts[-1].end() :]
    elif truncated and _THINKING.match(text):
        return []
    return [value for value in read_values(_unquoted(text)) if value.value]


def _unquoted(text: str) -> str:
    """The text in a JSON string, if it is nothing else: some gateways encode an answer twice."""
    if not text.lstrip().startswith('"'):
        return text
    try:
        inner = _DECODER.decode(text)
    except (ValueError, RecursionError):
        return text
    return valid_unicode(inner)


def read_values(text: str) -> Iterator[JsonValue]:
    """The top-level objects and arrays of a text, in order."""
    parser = _Parser(text)
    position = errors = 0
    while (start := _START.search(text, position)) and not parser.is_exhausted:
        strict = _strict(text, start.start()) if errors < _MAX_ERRORS else None
        if strict is not None:
            value, position = strict
            yield JsonValue(value)
        else:
            errors += 1
            yield parser.read(start.start())
            position = parser.position


def _strict(text: str, start: int) -> tuple[Any, int] | None:
    try:
        return _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None


class _Parser:
    """Parses values of a text; tolerates missing characters between values. It `is_exhausted` once
    they nest too deep or are too many.
    """

    def __init__(self, text: str) -> None:
        self.position = 0
        self.is_exhausted = False
        self._text = text
        self._steps_left = _MAX_STEPS
        self._single_end = 0  # where the next string in single quotes may end
        # Open containers, each with the key of its next value.
        self._stack: list[tuple[dict[str, Any] | list[Any], str | None]] = []
        self._root: dict[str, Any] | list[Any] = []

    def read(self, position: int) -> JsonValue:
        """The value that opens at `position`."""
        text = self._text
        self.position = position
        self._stack.clear()
        while True:
            self._steps_left -= 1
            if self._steps_left < 0 or len(self._stack) > _MAX_DEPTH:
                self.is_exhausted = True
                return JsonValue(self._root, False, ())
            self.position = _SPACE.match(text, self.position).end()  # type: ignore[union-attr]
            if self.position >= len(text):
                return self._cut()
            char = text[self.position]
            if char in "{[":
                self.position += 1
                self._open({} if char == "{" else [])
            elif char in "}]":
                self.position += 1
                self._stack.pop()
                if not self._stack:
                    return JsonValue(self._root)
            elif char == '"':
                string = self._string()
                if string is None:
                    return self._cut()
                self._scalar(string)
            elif char == "'" and (single := self._single()) is not None:
                self._scalar(single)
            elif (bare := self._bare()) is not None:
                if bare:
                    self._scalar(_CONSTANTS.get(bare, bare))
            else:
                self.position += 1  # a colon where none belongs

    def _open(self, container: dict[str, Any] | list[Any]) -> None:
        if self._stack:
            self._put(container)
        else:
            self._root = container
        self._stack.append((container, None))

    def _scalar(self, value: Any) -> None:
        container, key = self._stack[-1]
        if isinstance(container, dict) and key is None:
            after = _SPACE.match(self._text, self.position).end()  # type: ignore[union-attr]
            if self._text[after : after + 1] == ":":
                self.position = after + 1
                self._stack[-1] = (container, str(value))
            return  # a value without a key is dropped
        self._put(value)

    def _put(self, value: Any) -> None:
        container, key = self._stack[-1]
        if isinstance(container, list):
            container.append(value)
        else:
            container["" if key is None else key] = value
            self._stack[-1] = (container, None)

    def _bare(self) -> str | None:
        """What no quotes enclose at `position`: a key, a value, or "" for a comment; None for no
        text.
        """
        text, position = self._text, self.position
        container, key = self._stack[-1]
        found = _BARE_MEMBER.match(text, position) if key is not None else None
        if found is None and (key is not None or isinstance(container, list)):
            found = _BARE_ITEM.match(text, position)
        found = found or _BARE.match(text, position)
        if found is None:
            return None
        self.position = found.end()
        return _COMMENT.sub("", found.group()).rstrip()

    def _single(self) -> str | None:
        """The string in single quotes at `position`; None when it does not end."""
        text, start = self._text, self.position + 1
        if self._single_end < start:
            found = _SINGLE_END.search(text, start)
            self._single_end = found.start() if found else len(text) + _MAX_SINGLE + 1
        end = self._single_end
        if end - start > _MAX_SINGLE or "\n" in (inner := text[start:end]):
            return None
        self.position = end + 1
        return valid_unicode(_ESCAPED.sub(lambda escape: _unescape(escape.group()), inner))

    def _string(self) -> str | None:
        """The string at `position`; None when it does not end."""
        text, parts = self._text, []
        position = start = self.position + 1
        while special := _SPECIAL.search(text, position):
            if special.group() == "\\":
                parts.append(text[start : special.start()])
                start = position = min(special.start() + 2, len(text))
                escape = text[special.start() : start]
                if escape == "\\u":
                    start = position = min(position + 4, len(text))
                parts.append(_unescape(text[special.start() : start]))
            elif _AFTER_STRING.match(text, special.end()):
                self.position = special.end()
                return valid_unicode("".join(parts) + text[start : special.start()])
            else:
                position = special.end()  # a quote within the string that was not escaped
        self.position = len(text)
        return None

    def _cut(self) -> JsonValue:
        """The partial value when the text ends too soon, without the innermost object if that is
        incomplete.
        """
        containers = [container for container, _ in self._stack]
        keys: list[str | int] = []
        for outer, inner in zip(containers, containers[1:], strict=False):
            if isinstance(outer, list):
                keys.append(len(outer) - 1)
            else:
                keys.append(next(key for key, value in outer.items() if value is inner))
        if len(containers) > 1 and isinstance(containers[-1], dict):
            outer = containers[-2]
            if isinstance(outer, list):
                outer.pop()
                keys.pop()
        return JsonValue(self._root, False, tuple(keys))


def valid_unicode(text: str) -> str:
    """The text with one character for each pair of surrogates, whose halves were escaped apart, and
    U+FFFD for each that is alone: UTF-8 cannot hold it.
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _unescape(escape: str) -> str:
    if escape[1:2] != "u":
        return _ESCAPES.get(escape[1:2], escape[1:2])
    try:
        return str(json.loads(f'"{escape}"'))
    except ValueError:
        return escape[1:2]
