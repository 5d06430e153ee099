"""The link scorer of a build: trained on labelled questions, or the parent's.

    --train-links FILE -> 30_models/link_scorer

The parent's scorer is linked if no file is given, or if it was trained on the same questions. So
nothing is trained twice, including scorers that were rejected.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from factmill.models.links.asked_question import AskedQuestion
from factmill.models.links.build_scorer import (
    CARD,
    SCORER_FILES,
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
from factmill.schemas.storage.atomic import link_file
from factmill.schemas.storage.checksum import sha256_of
from factmill.schemas.storage.paths import StoragePath, local_copy, name_below
from factmill.transforms.tasks.notices import warn
from factmill.transforms.tasks.reused_files import intact

LEARN_LINKS = "learn_links"
LINKS_OPTION = "--train-links"
_DIGITS = 16


@dataclass(frozen=True, slots=True)
class QuestionFile:
    """The file of labelled questions, and the name of its content in cards. Raises OptionError when
    it cannot be read.
    """

    path: StoragePath
    fingerprint: str

    @classmethod
    def of(cls, path: StoragePath) -> QuestionFile:
        try:
            return cls(path, sha256_of(local_copy(path))[:_DIGITS])
        except OSError as error:
            raise OptionError(f"{LINKS_OPTION} {path}: {error}") from None


def has_learned_links(build: BuildDir | None) -> bool:
    """Whether a build or one before it trained a scorer, kept or not."""
    return build is not None and (build.link_scorer / CARD).is_file()


def inherit_link_scorer(
    build: BuildDir, parent: BuildDir | None, encoder: str, file: QuestionFile | None
) -> LinkScorerCard | None:
    """Reuse the parent's scorer and return its card; None if a build with this encoder cannot use
    it, or `file` has other questions.
    """
    if parent is None or not has_learned_links(parent):
        return None
    card = _sound_card(parent, encoder)
    if card is None:
        if file is None:
            why = "is damaged or was trained for another encoder"
            warn(
                LEARN_LINKS,
                f"link_scorer of the previous build {why}: left out ({LINKS_OPTION} FILE)",
            )
        return None
    # A card without weights only matters when the same questions are given again.
    same = card.training == card.training | _what_decides(file) if file else card.better
    if not same:
        return None
    for name in SCORER_FILES if card.better else (CARD,):
        link_file(parent.link_scorer / name, build.link_scorer / name)
    return card


def _sound_card(parent: BuildDir, encoder: str) -> LinkScorerCard | None:
    """The card of the parent's scorer, if it is intact and fits the encoder."""
    try:
        card = link_scorer_card(parent)
        if card is None or card.encoder != encoder:
            return None
        build_scorer(parent, encoder)
    except CorruptStore:
        return None
    names = SCORER_FILES if card.better else (CARD,)
    paths = [name_below(parent.link_scorer / name, parent.root) for name in names]
    return card if all(intact(parent, path) for path in paths) else None


def learn_link_scorer(
    build: BuildDir, encoder: str, file: QuestionFile, questions: Sequence[AskedQuestion]
) -> LinkScorerCard:
    """Train a scorer on the questions of a file and return its card. If it is no better on unseen
    questions, its weights are dropped, with a notice.
    """
    from factmill.models.links.link_selection import MIN_QUESTIONS, judge_training
    from factmill.models.links.link_training import train_link_scorer

    scorer, held_out = None, {}
    learnable = sum(len(question.named) > 0 for question in questions)
    if learnable < MIN_QUESTIONS:
        why = f"names matter to {learnable} of its questions, and {MIN_QUESTIONS} are needed"
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
        warn(LEARN_LINKS, f"{LINKS_OPTION} {file.path.name}: {why}: the packaged scorer stays")
    return card


def _what_decides(file: QuestionFile) -> dict[str, Any]:
    """The inputs of training on a file, beside the index."""
    return {
        "questions": file.fingerprint,
        "settings": asdict(FROM_PACKAGE),
        "begins_with": sha256_of(FILE)[:_DIGITS],
    }
