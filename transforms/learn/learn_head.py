"""The hash head of a build: learned from the build's own and labelled questions, or reused from the
parent, whose codes then stay valid.

A reused head is measured on a sample of the new build. It also works for units it has never seen,
so a growing corpus needs no training. A corpus that drifts to other subjects does, and the report
says when.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from factmill.models.arrays import Floats
from factmill.models.codes.code_drift import code_recall
from factmill.models.codes.hash_config import TrainingConfig
from factmill.models.codes.hash_head import HashHead
from factmill.models.encoding.device import CPU, best_device
from factmill.models.encoding.encoder import Encoder, build_encoder
from factmill.schemas.errors import BuildError
from factmill.schemas.layout import BuildDir
from factmill.schemas.manifest import StageCounts
from factmill.schemas.progress_events import report_progress
from factmill.schemas.storage.atomic import copy_folder, write_text
from factmill.schemas.storage.paths import read_text
from factmill.transforms.learn.learn_answer_models import learn_answer_models
from factmill.transforms.learn.publish_encoder import publish_encoder
from factmill.transforms.learn.sample_sizes import sample_sizes
from factmill.transforms.learn.training_examples import (
    BuildExamples,
    Gathered,
    LabelledQuestion,
    build_examples,
    encode_sample,
    gather_examples,
    with_pages,
)
from factmill.transforms.learn.training_sample import (
    MEASURED_QUESTIONS,
    MEASURED_UNITS,
    SampledUnit,
    measured_ids,
    measured_units,
    own_questions,
)
from factmill.transforms.tasks.notices import warn

LEARN_STAGE = "learn"
REPORT = "hash_head.json"
# How much the recall of codes may fall below its value when they were learned.
_TOLERATED_LOSS = 0.05
_ENCODER_NEGATIVES = 8


@dataclass(frozen=True)
class LearnHead:
    """Learn the head from a sample of the build, or copy the parent's and measure it; then learn
    the answer models.
    """

    build: BuildDir
    shards: int
    encoder: str
    config: TrainingConfig
    parent: BuildDir | None
    labelled: tuple[LabelledQuestion, ...] = ()
    tune_encoder: bool = False
    retrain: bool = False
    # Paths of examples by the name of the answer model.
    answer_examples: tuple[tuple[str, str], ...] = ()
    extractor_encoder: str = ""

    def __call__(self, _task: int) -> StageCounts:
        inherited = self.inheritable_head()
        if inherited:
            self._take_over_encoder()
        about = self._measured(inherited) if inherited else self._learned()
        about["training"] = asdict(self.config)
        about["measured_units"] = MEASURED_UNITS
        examples = dict(self.answer_examples)
        about["answer_models"] = learn_answer_models(
            self.build, self.parent, examples, LEARN_STAGE, self.extractor_encoder
        )
        write_text(self.build.models / REPORT, json.dumps(about, indent=1, sort_keys=True) + "\n")
        return StageCounts(about["examples"], about["examples"])

    def encoder_now(self) -> Encoder:
        """The current encoder of the build, which may be its own fine-tuned one."""
        return build_encoder(self.build, self.encoder)

    def _learned(self) -> dict[str, Any]:
        """Learn a head, after fine-tuning its encoder if requested; returns the report of both."""
        from factmill.models.codes.hash_selection import learn_head

        report_progress("gathering", 0, 1)
        sizes = sample_sizes(self.build, self.shards)
        gathered = gather_examples(self.build, self.shards, sizes, self.labelled)
        _need_units(gathered.units)
        about: dict[str, Any] = {}
        encoder = self.encoder_now()
        made = build_examples(self.build, encoder, gathered, self.parent)
        if self.tune_encoder and not self.build.has_tuned_encoder():
            about["encoder"] = self._tuned(encoder, made)
            if self.build.has_tuned_encoder():
                encoder = self.encoder_now()
                made = build_examples(self.build, encoder, gathered, self.parent)
        learned = learn_head(made.vectors, self.config, encoder.fingerprint, best_device())
        learned.head.save(self.build.hash_head)
        publish_encoder(self.build, self.parent, encoder, made.unit_texts, LEARN_STAGE)
        return about | {
            "examples": len(made.vectors),
            "labelled_questions": len(gathered.labelled),
            "units": len(gathered.units),
            "code_recall_learned": _recall_of_sample(learned.head, gathered, made),
            "held_out_reciprocal_rank": learned.reciprocal_rank,
            "held_out_reciprocal_rank_of_floats": learned.float_reciprocal_rank,
            "losses": learned.losses,
            "sweeps": learned.sweeps,
        }

    def _tuned(self, encoder: Encoder, made: BuildExamples) -> dict[str, Any]:
        """Fine-tune the encoder; returns its report."""
        from factmill.models.encoding.fine_tuning import EncoderTraining, Example, train_encoder

        if best_device() == CPU:
            warn(LEARN_STAGE, "--train-encoder without a GPU takes long")
        vectors, texts = made.vectors, made.unit_texts
        examples = [
            Example(query, texts[source], tuple(texts[row] for row in negatives if row >= 0))
            for query, source, negatives in zip(
                made.query_texts,
                vectors.source.tolist(),
                vectors.negatives[:, :_ENCODER_NEGATIVES].tolist(),
                strict=True,
            )
        ]
        config = EncoderTraining()
        return asdict(train_encoder(examples, encoder, self.build.tuned_encoder, config))

    def _measured(self, head: HashHead) -> dict[str, Any]:
        """Reuse the parent's head; returns a report of how well it fits this build."""
        assert self.parent is not None
        report_progress("gathering", 0, 1)
        own = own_questions(self.build, self.shards, MEASURED_QUESTIONS)
        labelled = with_pages(self.build, self.shards, self.labelled)
        sample = measured_units(self.build, self.shards, own)
        _need_units(sample)
        encoder = self.encoder_now()
        texts = [question.text for question in own] + [text for text, _ in labelled]
        asked = texts[:MEASURED_QUESTIONS]
        units, questions = encode_sample(self.build, self.parent, encoder, sample, asked)
        now = _recall(head, questions, units)
        learned = _recall_when_learned(self.parent)
        due = learned is not None and now < learned - _TOLERATED_LOSS
        if due:
            warn(
                LEARN_STAGE,
                f"codes find {now:.3f} of what vectors find, {learned:.3f} when they were learned:"
                " retraining is due (--retrain)",
            )
        head.save(self.build.hash_head)
        unit_texts = [sampled.unit.text for sampled in sample]
        publish_encoder(self.build, self.parent, encoder, unit_texts, LEARN_STAGE)
        return {
            "examples": len(questions),
            "labelled_questions": len(labelled),
            "units": len(sample),
            "inherited_from": self.parent.build_id,
            "code_recall": now,
            "code_recall_learned": now if learned is None else learned,
            "retraining_due": due,
        }

    def inheritable_head(self) -> HashHead | None:
        """The parent's head, if this build may reuse it and its encoder."""
        if self.retrain or self.parent is None or not self.parent.hash_head.is_file():
            return None
        head = HashHead.load(self.parent.hash_head)
        encoder = build_encoder(self.parent, self.encoder)
        if head.bits != self.config.bits or head.encoder != encoder.fingerprint:
            return None
        return head

    def _take_over_encoder(self) -> None:
        """Copy the parent's encoder, where it was tuned."""
        assert self.parent is not None
        if self.parent.has_tuned_encoder() and not self.build.has_tuned_encoder():
            copy_folder(self.parent.tuned_encoder, self.build.tuned_encoder)


def _need_units(units: Sequence[SampledUnit]) -> None:
    if not units:
        raise BuildError("there is nothing to index: the input gave no proposition")


def _recall(head: HashHead, questions: Floats, units: Floats) -> float:
    return round(code_recall(head, questions, units), 4)


def _recall_of_sample(head: HashHead, gathered: Gathered, made: BuildExamples) -> float:
    """Recall on the sample that later builds would use if they had the same content."""
    ids = [sampled.unit.unit_id for sampled in gathered.units]
    measured = measured_ids(ids, gathered.own[:MEASURED_QUESTIONS])
    rows = [row for row, unit in enumerate(ids) if unit in measured]
    return _recall(head, made.questions[:MEASURED_QUESTIONS], made.vectors.units[rows])


def _recall_when_learned(build: BuildDir) -> float | None:
    """Recall in the report of a build; None if missing, or measured among another number of units,
    which makes it incomparable.
    """
    try:
        raw = json.loads(read_text(build.models / REPORT))
        if raw["measured_units"] != MEASURED_UNITS:
            return None
        recall = float(raw["code_recall_learned"])
    except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None
    return recall if math.isfinite(recall) else None
