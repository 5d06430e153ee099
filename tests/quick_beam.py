"""Caches what Beam computes again and again, so that a small build takes a sixth of the time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from functools import cache
from types import FunctionType, MethodType
from typing import Any

import pytest
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.transforms import core, userstate


@contextmanager
def beam_that_remembers() -> Iterator[None]:
    """Beam builds a parser and parses the options at each access, and inspects the methods of a
    step many times. Within the block, it does so once for equal options, and once per method; it
    looks for state and timers, which only parameters of methods declare, once per class.
    """
    with pytest.MonkeyPatch.context() as patch:
        parse, look = PipelineOptions.__init__, core.get_function_args_defaults
        declared = userstate.get_dofn_specs
        patch.setattr(PipelineOptions, "__init__", _parsing_once(parse))
        everything = PipelineOptions.get_all_options
        patch.setattr(PipelineOptions, "get_all_options", _listing_once(everything))
        patch.setattr(core, "get_function_args_defaults", _looking_once(look))
        patch.setattr(userstate, "get_dofn_specs", _declared_once(declared))
        yield


def _parsing_once(parse: Any) -> Any:
    @cache
    def parsed(kind: type, flags: tuple[str, ...]) -> tuple[Any, dict[str, Any]]:
        options = object.__new__(kind)
        parse(options, list(flags))
        return options._visible_options, options._all_options

    def options(self: Any, flags: Sequence[str] | None = None, **given: Any) -> None:
        if flags is None or isinstance(flags, str):
            parse(self, flags, **given)
            return
        seen, everything = parsed(type(self), tuple(flags))
        self._flags, self._visible_options = flags, seen
        # Views of one pipeline's options share values; those of different pipelines do not.
        self._all_options = {name: copy(value) for name, value in everything.items()} | given

    return options


def _listing_once(everything: Any) -> Any:
    # With the values that the key names, so that no other object gets their address.
    found: dict[str, tuple[dict[str, Any], list[Any]]] = {}

    def options(self: Any, **how: Any) -> dict[str, Any]:
        values = [self._flags, self._all_options.copy(), how]
        key = f"{len(PipelineOptions.__subclasses__())} {values}"
        if key not in found:
            found[key] = everything(self, **how), values
        return {name: copy(value) for name, value in found[key][0].items()}

    return options


def _looking_once(look: Any) -> Any:
    found: dict[FunctionType, tuple[list[str], list[Any]]] = {}

    def arguments(function: Any) -> tuple[list[str], list[Any]]:
        if not isinstance(function, MethodType):
            names, defaults = look(function)
        else:
            if function.__func__ not in found:
                found[function.__func__] = look(function)
            names, defaults = found[function.__func__]
        return [*names], [*defaults]

    return arguments


def _declared_once(declared: Any) -> Any:
    found: dict[type, tuple[set[Any], set[Any]]] = {}

    def specs(step: Any) -> tuple[set[Any], set[Any]]:
        if type(step) not in found:
            found[type(step)] = declared(step)
        states, timers = found[type(step)]
        return {*states}, {*timers}

    return specs
