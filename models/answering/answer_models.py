"""The models that extract answers and put them into questions: a build's own, or rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from factmill.models.answering.answer_candidates import Candidate, Source
from factmill.models.answering.answer_extraction import extract
from factmill.models.answering.rewriting import learned_rewriting
from factmill.models.answering.rewriting.learned_rewriting import LearnedRewriter
from factmill.models.answering.rewriting.rewriting import put_in
from factmill.models.answering.span_models import learned_extraction
from factmill.models.answering.span_models.learned_extraction import LearnedExtractor
from factmill.models.answering.span_models.own_encoder import own_encoder
from factmill.models.answering.span_models.span_model import CARD, SpanModel
from factmill.models.answering.span_scoring.span_scorer import packaged_scorer
from factmill.models.encoding.published_encoder import PublishedEncoder
from factmill.schemas.layout import BuildDir

SPAN_MODELS = (learned_extraction.NAME, learned_rewriting.NAME)


@dataclass(frozen=True, slots=True)
class AnswerModels:
    """`extract` returns candidates for the answer to a question, best first, and
    `extract_unscored` those without what the packaged span scorer says; `put_in` puts an
    answer into a question, in the position of the words that stand for it.
    """

    extract: Callable[[str, Sequence[Source]], list[Candidate]] = extract
    extract_unscored: Callable[[str, Sequence[Source]], list[Candidate]] = extract
    put_in: Callable[[str, str], str] = put_in


def answer_models(build: BuildDir, encoder: PublishedEncoder | None) -> AnswerModels:
    """The answer models of a build; `encoder` is its query encoder, if already open. The packaged
    span scorer is among them if its encoder is that of the build."""
    if encoder is None and build.has_query_encoder():
        encoder = PublishedEncoder(build.query_encoder)
    found = span_models(build, encoder)
    extractor, rewriter = (found.get(name) for name in SPAN_MODELS)
    ruled = partial(extract, extractor=LearnedExtractor(extractor)) if extractor else extract
    scorer = packaged_scorer(encoder) if encoder else None
    return AnswerModels(
        partial(ruled, scorer=scorer) if scorer else ruled,
        ruled,
        LearnedRewriter(rewriter) if rewriter else put_in,
    )


def span_models(build: BuildDir, encoder: PublishedEncoder | None = None) -> dict[str, SpanModel]:
    """The span models that a build has, by name; their files are not read yet."""
    encoder = encoder or PublishedEncoder(build.query_encoder)
    return {
        name: SpanModel(folder, own_encoder(folder) or encoder)
        for name in SPAN_MODELS
        if ((folder := build.span_model(name)) / CARD).is_file()
    }
