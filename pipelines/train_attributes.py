"""Trains the models of question attributes, and reports their accuracy on held-out questions.

    python -m factmill.pipelines.train_attributes samples/attribute_questions.jsonl OUT.safetensors

An input line has `question`, `domain`, `dynamism`, and the `template` it follows; questions of one
template are held out together. The weights in the package were made this way; train new ones after
any change of the questions or of the default encoder.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from safetensors.numpy import save

from factmill.models.answering.attributes.attribute_training import (
    confusion,
    held_out_predictions,
    train_linear,
)
from factmill.models.answering.attributes.attributes import Domain, Dynamism, with_bias
from factmill.models.answering.example_files import (
    examples_in,
    open_examples,
    text_field,
)
from factmill.models.arrays import Integers
from factmill.models.encoding.encoder import DEFAULT_ENCODER, Encoder
from factmill.pipelines.cli.exit_codes import OutputFormat, exit_code
from factmill.pipelines.cli.line_parser import LineParser
from factmill.schemas.storage.atomic import whole_file

_STRENGTH = 0.5


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    return exit_code("train_attributes", partial(_run, given), OutputFormat())


def _run(arguments: Sequence[str]) -> int:
    """Train, print the confusion tables, write the weights."""
    parser = LineParser(description=__doc__)
    parser.add_argument("questions", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--encoder", default=DEFAULT_ENCODER)
    options = parser.parse_args(arguments)
    rows = examples_in(open_examples(options.questions, "questions"), "questions", _read_question)
    encoder = Encoder(options.encoder)
    features = with_bias(encoder.encode([row.question for row in rows]))
    groups = [row.template for row in rows]
    weights: dict[str, npt.NDArray[Any]] = {
        "encoder": np.frombuffer(encoder.fingerprint.encode("ascii"), np.uint8)
    }
    kinds: tuple[tuple[str, type[Enum], list[Enum]], ...] = (
        ("domains", Domain, [row.domain for row in rows]),
        ("dynamisms", Dynamism, [row.dynamism for row in rows]),
    )
    for name, kind, values in kinds:
        classes = list(kind)
        labels = np.array([classes.index(value) for value in values])
        predicted = held_out_predictions(features, labels, groups, len(classes), _STRENGTH)
        _print_table(kind, labels, predicted)
        trained = train_linear(features, labels, len(classes), _STRENGTH)
        weights[name] = trained.astype(np.float16)
    with whole_file(options.out) as temporary:
        temporary.write_bytes(save(weights))
    return 0


class _AttributeQuestion(NamedTuple):
    """A question with its right attributes. Those of one template are held out together."""

    question: str
    domain: Domain
    dynamism: Dynamism
    template: str


def _read_question(row: Mapping[str, Any]) -> _AttributeQuestion:
    """Raises KeyError for a missing field, and ValueError for a wrong one."""
    return _AttributeQuestion(
        text_field(row, "question"),
        Domain(row["domain"]),
        Dynamism(row["dynamism"]),
        text_field(row, "template"),
    )


def _print_table(kind: type[Enum], labels: Integers, predicted: Integers) -> None:
    classes = [one.value for one in kind]
    table = confusion(labels, predicted, len(classes))
    print(f"{kind.__name__}, held out by template: {np.trace(table) / len(labels):.3f} right")
    for name, counts in zip(classes, table.tolist(), strict=True):
        print(f"    {name:14}" + "".join(f"{count:6}" for count in counts))
    if kind is Dynamism:
        static = classes.index(Dynamism.STATIC.value)
        same = (labels == static) == (predicted == static)
        print(f"    static or not: {same.mean():.3f} right")


if __name__ == "__main__":
    sys.exit(main())
