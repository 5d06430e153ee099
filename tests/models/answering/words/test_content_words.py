from __future__ import annotations

from factmill.models.answering.words.content_words import stem


def test_forms_of_irregular_verbs_share_a_stem() -> None:
    for forms in (
        "underwrites underwrote underwritten",
        "withdraws withdrew withdrawn",
        "rode ride",
    ):
        assert len(set(map(stem, forms.split()))) == 1
