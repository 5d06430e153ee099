"""Trains the local models of the Revelator, and reports their accuracy on held-out examples.

    python -m factmill.pipelines.train_revelator EXAMPLES OUT [--also EXAMPLES] [--leave-out]

EXAMPLES is a folder with the `route.jsonl` and `relevance.jsonl` of `revelator_examples`. The
output is `router_weights.safetensors` and `relevance_weights.safetensors`, trained on everything,
and `revelator_card.json`: the training data, and figures of models trained without a tenth of the
groups (entities, pages, templates). `--also` evaluates the written models on other examples;
`--leave-out` evaluates the router on each source after training without it.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from safetensors.numpy import save

from factmill.models.answering.example_files import examples_in, open_examples
from factmill.models.answering.relevance.judged_search import JudgedSearch, with_noise
from factmill.models.answering.relevance.relevance import RELEVANCE_WEIGHTS
from factmill.models.answering.relevance.relevance_training import train_relevance
from factmill.models.answering.revelator.ability_examples import (
    AbilityExample,
    read_relevance_example,
    read_route_example,
)
from factmill.models.answering.revelator.revelator_figures import (
    relevance_figures,
    route_figures,
)
from factmill.models.answering.routing.default_router import ROUTER_WEIGHTS
from factmill.models.answering.routing.learned_router import RouterWeights
from factmill.models.answering.routing.route import Route
from factmill.models.answering.routing.router_training import (
    RoutedQuestions,
    routed,
    train_router,
)
from factmill.models.arrays import Flags
from factmill.models.encoding.encoder import DEFAULT_ENCODER, Encoder
from factmill.pipelines.cli.exit_codes import OutputFormat, exit_code
from factmill.pipelines.cli.line_parser import LineParser
from factmill.schemas.storage.atomic import whole_file

CARD = "revelator_card.json"
_ROUTES, _SEARCHES = "route.jsonl", "relevance.jsonl"
# More of a kind teach little, and each must be encoded.
_MAX_PER_SOURCE_AND_ROUTE = 1000
_MAX_MEASURED = 400
_NOISE_SEED = 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    return exit_code("train_revelator", partial(_run, given), OutputFormat())


def _run(arguments: Sequence[str]) -> int:
    """Train both, write weights and card, print the card."""
    parser = LineParser(description=__doc__)
    parser.add_argument("examples", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--also", type=Path)
    parser.add_argument("--leave-out", action="store_true")
    options = parser.parse_args(arguments)
    routes, searches = _read_examples(options.examples, "examples")
    for examples, name in ((routes, _ROUTES), (searches, _SEARCHES)):
        if len({one.is_held_out for one in examples}) < 2:
            parser.error(f"examples {options.examples / name}: too few groups to hold some out")
    other_routes, other_searches = (
        _read_examples(options.also, "--also") if options.also else ([], [])
    )
    encoder = Encoder(DEFAULT_ENCODER)
    card = {
        "router": router_card(routes, other_routes, options.leave_out, encoder),
        "relevance": relevance_card(searches, other_searches, encoder.fingerprint),
    }
    options.out.mkdir(parents=True, exist_ok=True)
    for name, part in ((ROUTER_WEIGHTS, card["router"]), (RELEVANCE_WEIGHTS, card["relevance"])):
        _write(options.out / name, save(part.pop("weights").tensors()))
    text = json.dumps(card, indent=1) + "\n"
    _write(options.out / CARD, text.encode("utf-8"))
    print(text, end="")
    return 0


def router_card(
    routes: Sequence[AbilityExample],
    also: Sequence[AbilityExample],
    leave_out: bool,
    encoder: Encoder,
) -> dict[str, Any]:
    """Figures of the router, and its `weights`; also those for other examples, if there are any of
    other groups.
    """
    examples = sampled(routes)
    questions = _routed_questions(examples, encoder)
    held_out = np.array([example.is_held_out for example in examples])
    weights = train_router(questions, encoder.fingerprint)
    card: dict[str, Any] = {
        "weights": weights,
        "examples": _counted(f"{one.source} {one.reply['type']}" for one in examples),
        "held out": _without(questions, held_out),
    }
    if unseen := _unseen(also, examples):
        others = _routed_questions(sampled(unseen, _MAX_MEASURED), encoder)
        card["other examples"] = {
            "all": _routed_figures(weights, others),
            **{
                source: _routed_figures(weights, others.where(np.flatnonzero(inside)))["vectors"]
                for source, inside in _by_source(others)
            },
        }
    if leave_out:
        card["sources left out"] = {
            source: _without(questions, inside)["vectors"]
            for source, inside in _by_source(questions)
        }
    return card


def relevance_card(
    examples: Sequence[AbilityExample], also: Sequence[AbilityExample], encoder: str
) -> dict[str, Any]:
    """Figures of the relevance scorer, and its `weights`; also those for other examples, if there
    are any of other groups. `encoder` is the fingerprint of the encoder whose scores the documents
    have.
    """
    held_out = [_judged_search(one) for one in examples if one.is_held_out]
    without = train_relevance([_judged_search(one) for one in examples if not one.is_held_out], "")
    weights = train_relevance(list(map(_judged_search, examples)), encoder)
    card: dict[str, Any] = {
        "weights": weights,
        "examples": _counted(example.source for example in examples),
    }
    measured = {"held out": (without, held_out)}
    if unseen := _unseen(also, examples):
        measured["other examples"] = (weights, list(map(_judged_search, unseen)))
    for name, (used, searches) in measured.items():
        noisy = list(with_noise(searches, _NOISE_SEED))
        card[name] = {
            "as found": relevance_figures(used.with_scores, searches),
            "as found, without scores": relevance_figures(used.without_scores, searches),
            "half exchanged": relevance_figures(used.with_scores, noisy),
        }
    return card


def _read_examples(folder: Path, option: str) -> tuple[list[AbilityExample], list[AbilityExample]]:
    """The examples of routes and of relevance in a folder. Raises OptionError for a wrong file."""
    routes = open_examples(folder / _ROUTES, option)
    searches = open_examples(folder / _SEARCHES, option)
    return (
        examples_in(routes, option, read_route_example),
        examples_in(searches, option, read_relevance_example),
    )


def _unseen(
    others: Iterable[AbilityExample], trained: Iterable[AbilityExample]
) -> list[AbilityExample]:
    """Examples whose group and question were not trained on."""
    seen = {name for one in trained for name in (one.group, one.question.casefold())}
    return [one for one in others if seen.isdisjoint((one.group, one.question.casefold()))]


def sampled(
    examples: Iterable[AbilityExample], most: int = _MAX_PER_SOURCE_AND_ROUTE
) -> list[AbilityExample]:
    """At most `most` of each source and route, chosen by their text."""
    counts: Counter[tuple[str, str]] = Counter()
    chosen = []
    for example in sorted(examples, key=lambda one: crc32(one.question.encode("utf-8"))):
        key = (example.source, example.reply["type"])
        counts[key] += 1
        if counts[key] <= most:
            chosen.append(example)
    return chosen


def _routed_questions(examples: Sequence[AbilityExample], encoder: Encoder) -> RoutedQuestions:
    """Routing examples with their vectors."""
    order = [route.value for route in Route]
    questions = [example.question for example in examples]
    return RoutedQuestions(
        questions,
        np.array([order.index(example.reply["type"]) for example in examples], np.int64),
        [example.source for example in examples],
        encoder.encode(questions),
    )


def _judged_search(example: AbilityExample) -> JudgedSearch:
    """A relevance example in the form that training needs."""
    relevant = set(example.reply["relevant"])
    flags = tuple(number in relevant for number in range(1, len(example.documents) + 1))
    return JudgedSearch(example.question, example.documents, flags)


def _without(questions: RoutedQuestions, inside: Flags) -> dict[str, Any]:
    """Figures for some questions of a router trained on the others."""
    weights = train_router(questions.where(np.flatnonzero(~inside)), "")
    return _routed_figures(weights, questions.where(np.flatnonzero(inside)))


def _routed_figures(weights: RouterWeights, questions: RoutedQuestions) -> dict[str, Any]:
    return {
        "vectors": route_figures(questions.routes, routed(weights, questions)),
        "shape alone": route_figures(questions.routes, routed(weights, questions, False)),
    }


def _by_source(questions: RoutedQuestions) -> list[tuple[str, Flags]]:
    """The questions of each source; several data sets contain HotpotQA's."""
    sources = np.array(["hotpotqa" if "hotpot" in one else one for one in questions.sources])
    return [(str(source), sources == source) for source in np.unique(sources)]


def _counted(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))


def _write(path: Path, data: bytes) -> None:
    with whole_file(path) as temporary:
        temporary.write_bytes(data)


if __name__ == "__main__":
    sys.exit(main())
