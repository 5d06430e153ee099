"""The scorer of links of a build: trained on labelled questions, or the parent's.

    --train-links FILE -> 30_models/link_scorer

The parent's is taken over, under a second name, when no file is given, or when it was trained on
the same questions. So a night trains nothing that was trained; nor what was trained and refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from factmill.models.links.asked_question import AskedQuestion
from factmill.models.links.build_scorer import (
    CARD,
    FILES,
    LinkScorerCard,
    build_scorer,
    link_scorer_card,
    write_scorer,
)
from factmill.models.links.link_config import FROM_PACKAGE
from factmill.models.links.link_scorer import FEATURES, FILE, default_scorer
from factmill.schemas.errors import CorruptStore, OptionError
from factmill.schemas.layout import BuildDir
from factmill.schemas.libraries import installed
from factmill.schemas.manifest import sha256_of
from factmill.schemas.storage.atomic import link_file
from factmill.schemas.storage.paths import StoragePath, local_copy, name_below
from factmill.transforms.tasks.notices import warn
from factmill.transforms.tasks.reused_files import intact

STAGE = "learn_links"
OPTION = "--train-links"
_DIGITS = 16


@dataclass(frozen=True, slots=True)
class QuestionFile:
    """The file of labelled questions, and what its content is called in cards. Raises OptionError
    when it cannot be read."""

    path: StoragePath
    fingerprint: str

    @classmethod
    def of(cls, path: StoragePath) -> QuestionFile:
        try:
            return cls(path, sha256_of(local_copy(path))[:_DIGITS])
        except OSError as error:
            raise OptionError(f"{OPTION} {path}: {error}") from None


def has_learned_links(build: BuildDir | None) -> bool:
    """Whether a build, or one before it, trained a scorer, be it a better one or not."""
    return build is not None and (build.link_scorer / CARD).is_file()


def inherit_link_scorer(
    build: BuildDir, parent: BuildDir | None, encoder: str, file: QuestionFile | None
) -> LinkScorerCard | None:
    """Take over what the parent trained, and give its card; None where there is nothing that a
    build with this encoder may have, or `file` holds other questions."""
    if parent is None or not has_learned_links(parent):
        return None
    card = _sound_card(parent, encoder)
    if card is None:
        if file is None:
            why = "is damaged or was trained for another encoder"
            warn(STAGE, f"link_scorer of the build before {why}: left out ({OPTION} FILE)")
        return None
    # A note that something was refused is of use only to whoever asks for the same again.
    same = card.training == card.training | _what_decides(file) if file else card.better
    if not same:
        return None
    for name in FILES if card.better else (CARD,):
        link_file(parent.link_scorer / name, build.link_scorer / name)
    return card


def _sound_card(parent: BuildDir, encoder: str) -> LinkScorerCard | None:
    """The card of the parent's, if all of it is as it was published and fits the encoder."""
    try:
        card = link_scorer_card(parent)
        if card is None or card.encoder != encoder:
            return None
        build_scorer(parent, encoder)
    except CorruptStore:
        return None
    names = FILES if card.better else (CARD,)
    paths = [name_below(parent.link_scorer / name, parent.root) for name in names]
    return card if all(intact(parent, path) for path in paths) else None


def learn_link_scorer(
    build: BuildDir, encoder: str, file: QuestionFile, questions: Sequence[AskedQuestion]
) -> LinkScorerCard:
    """Train a scorer on the questions of a file, and give its card. Where it is no better on
    questions that it has not seen, weights are left out, and a line says so."""
    from factmill.models.links.link_selection import LEAST_QUESTIONS, judge_training
    from factmill.models.links.link_training import train_link_scorer

    scorer, held_out = None, {}
    learnable = sum(len(question.named) > 0 for question in questions)
    if learnable < LEAST_QUESTIONS:
        why = f"names matter to {learnable} of its questions, and {LEAST_QUESTIONS} are needed"
    else:
        judged = judge_training(questions, FROM_PACKAGE, default_scorer())
        held_out, why = {"package": judged.before, "trained": judged.after}, judged.line()
        if judged.better:
            examples = [question.example() for question in questions]
            scorer = train_link_scorer(examples, FROM_PACKAGE, default_scorer())
    card = LinkScorerCard(
        features=list(FEATURES),
        encoder=encoder,
        build=build.build_id,
        better=scorer is not None,
        training={"file": file.path.name, "asked": len(questions), **_what_decides(file)},
        held_out=held_out,
        made_with=[installed("torch", 2)],
    )
    write_scorer(build, card, scorer)
    if scorer is None:
        warn(STAGE, f"{OPTION} {file.path.name}: {why}: the scorer of the package stays")
    return card


def _what_decides(file: QuestionFile) -> dict[str, Any]:
    """What a scorer that is trained on a file depends on, beside the index."""
    return {
        "questions": file.fingerprint,
        "settings": asdict(FROM_PACKAGE),
        "begins_with": sha256_of(FILE)[:_DIGITS],
    }
