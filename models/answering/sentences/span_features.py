"""What tells the answer from other spans: numbers from 0 to 1 for each span of a sentence.

The names are those of FEATURES, the order is that of the learned weights (`span_weights.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from factmill.models.answering.answer_candidates import Source
from factmill.models.answering.sentences.kind_features import LIST, features_of_kind
from factmill.models.answering.sentences.matched_sentences import MatchedSentence, SentenceWord
from factmill.models.answering.words.asked_for import AskedFor, is_negative
from factmill.models.answering.words.content_words import stem_set
from factmill.models.text.span import Span

FEATURES = (
    "bias",
    # of the sentence
    "covered", "around", "covered_squared", "names_there", "names_all", "core_there", "core_all",
    "unit_score", "unit_squared", "page_score", "later_page", "later_sentence", "denial_differs",
    "title_named",
    "best_sentence",
    "digits_there", "year_missing", "other_year",
    # of its page
    "page_names", "page_names_all", "title_names",
    # the same, where the question has names at all
    "has_names", "names_all_of_some", "core_with_names", "page_names_all_of_some",
    # of the question: words that no sentence found has
    "absent_words",
    "absent_names",
    # of the span among the words
    "holds_asked", "behind_asked_name", "behind_other_name", "before_asked_name",
    "before_other_name",
    "near_word", "near_two", "near_verb", "before_verb", "said_in_title", "words", "many_words",
    "repeated",
    "list_wanted",
    # of a QA pair whose answer the span is
    "pair", "pair_same", "pair_score",
    # dates
    "date", "date_full", "date_wanted_year", "date_after_in", "date_time_wanted", "date_first",
    # numbers
    "number", "number_counted", "number_far_counted", "number_unit_fits", "number_unit_misfits",
    "number_money_fits", "number_year", "number_first",
    # persons
    "person", "person_two_words", "person_after_by", "person_beside_role", "person_before_verb",
    "person_first", "person_after_in", "person_is_place",
    # where something is
    "place", "place_after_in", "place_beside_focus", "place_first",
    # things
    "thing", "thing_capital", "thing_quoted", "thing_beside_focus", "thing_holds_focus",
    "thing_after_is", "thing_after_of", "thing_after_verb", "thing_list", "thing_list_wanted",
    "thing_lower_verb", "thing_first",
    "reason",
)  # fmt: skip
# How many words before and behind a span the nearest name is sought.
_NAME_BEFORE, _NAME_BEHIND = 8, 4
_NUMBER_OF = {name: number for number, name in enumerate(FEATURES)}


def features(
    asked: AskedFor, text: str, matched: MatchedSentence, shared: dict[str, float], span: Span
) -> list[float]:
    """The numbers of one span; `shared` are those that it shares with others, by name."""
    found = [0.0] * len(FEATURES)
    found[0] = 1.0
    for named in (
        shared,
        _among_words(asked, text, matched, span),
        features_of_kind(asked, text, matched, span),
    ):
        for name, value in named.items():
            found[_NUMBER_OF[name]] = value
    return found


def features_of_pair(asked: AskedFor, source: Source, span: Span) -> dict[str, float]:
    """Whether a QA pair has the span for its answer, and how much alike the questions are."""
    best: dict[str, float] = {}
    title = stem_set(source.title)
    for unit in source.units:
        if unit.is_pair and (unit.start, unit.end) == span:
            stems = stem_set(unit.text) | title
            same = _share(asked.stems, stems) * _share(stems - title, asked.stems | title)
            if same >= best.get("pair_same", 0.0):
                best = {
                    "pair": 1.0,
                    "pair_same": same,
                    "pair_score": min(1.0, max(0.0, unit.score)),
                }
    return best


def features_of_question(asked: AskedFor, absent: frozenset[str]) -> dict[str, float]:
    """What all spans share; `absent` are the stems of the question that no sentence found has."""
    return {
        "has_names": float(bool(asked.names)),
        "absent_words": min(1.0, len(absent) / 3),
        "absent_names": float(bool(absent & asked.names)),
    }


def features_of_page(
    asked: AskedFor, score: float, rank: int, stems: frozenset[str]
) -> dict[str, float]:
    """What all spans of a page share; `stems` are those of all that is read of it, the title among
    them. The best page has the rank 0."""
    names = _share(asked.names, stems)
    return {
        "page_score": min(1.5, score),
        "later_page": min(1.0, rank / 4),
        "page_names": names,
        "page_names_all": float(names == 1.0),
        "page_names_all_of_some": float(bool(asked.names) and names == 1.0),
    }


def features_of_sentence(
    asked: AskedFor, text: str, matched: MatchedSentence, is_best: bool
) -> dict[str, float]:
    """What all spans of a sentence share; `text` is that of its source. `is_best`: no other
    sentence fits the question better."""
    sentence, title = matched.sentence, matched.title
    around = sentence.stems | sentence.before | sentence.heading | title
    core = asked.stems - asked.names - title
    names = _share(asked.names, around)
    core_there = _share(core, sentence.stems)
    has_names = float(bool(asked.names))
    years, own = _years(asked.stems), sentence.stems | sentence.heading
    said = text[sentence.start : sentence.end]
    return {
        "covered": matched.covered,
        "around": matched.around,
        "covered_squared": matched.covered**2,
        "names_there": names,
        "names_all": float(names == 1.0),
        "core_there": core_there,
        "core_all": float(core <= sentence.stems | sentence.before | sentence.heading),
        "unit_score": matched.unit_score,
        "unit_squared": matched.unit_score**2,
        "later_sentence": min(1.0, sentence.order / 10),
        "denial_differs": float(is_negative(said) != asked.negated),
        "title_named": _share(title, asked.stems),
        "best_sentence": float(is_best),
        "digits_there": _share(frozenset(one for one in asked.stems if one[0].isdigit()), around),
        "year_missing": float(bool(years - own)),
        "other_year": float(bool(years - own) and bool(_years(own) - years)),
        "title_names": _share(asked.names, title),
        "names_all_of_some": has_names * (names == 1.0),
        "core_with_names": has_names * core_there,
    }


def _years(stems: frozenset[str]) -> frozenset[str]:
    return frozenset(one for one in stems if len(one) == 4 and one.isdigit())


def _share(wanted: frozenset[str], there: frozenset[str]) -> float:
    return len(wanted & there) / len(wanted) if wanted else 1.0


def _among_words(
    asked: AskedFor, text: str, matched: MatchedSentence, span: Span
) -> dict[str, float]:
    words = matched.sentence.words
    inner = [number for number, word in enumerate(words) if span[0] <= word.start < span[1]]
    if not inner:
        return {}
    first, last = inner[0], inner[-1]
    near = sorted(
        _distance(number, first, last)
        for number, word in enumerate(words)
        if word.stem in asked.stems and not first <= number <= last
    )
    verb = _verb(asked, words, first, last)
    stems = {words[number].stem for number in inner}
    named = _nearest_name(words, range(first - 1, max(-1, first - 1 - _NAME_BEFORE), -1))
    follows = _nearest_name(words, range(last + 1, min(len(words), last + 1 + _NAME_BEHIND)))
    return {
        "holds_asked": _share(frozenset(stems), asked.stems),
        "behind_asked_name": float(bool(named & asked.names)),
        "behind_other_name": float(bool(named) and bool(asked.names) and not named & asked.names),
        "before_asked_name": float(bool(follows & asked.names)),
        "before_other_name": float(
            bool(follows) and bool(asked.names) and not follows & asked.names
        ),
        "near_word": 1 / near[0] if near else 0.0,
        "near_two": 2 / (near[0] + near[1]) if len(near) > 1 else 0.0,
        "near_verb": 1 / _distance(verb, first, last) if verb is not None else 0.0,
        "before_verb": float(verb is not None and last < verb),
        "said_in_title": float(bool(stems & matched.title)),
        "words": min(1.0, len(inner) / 5),
        "many_words": float(len(inner) > 5),
        "list_wanted": float(asked.wants_all and LIST.search(text[slice(*span)]) is not None),
    }


def _nearest_name(words: Sequence[SentenceWord], numbers: range) -> frozenset[str]:
    """The stems of the first name among some words; a sentence's first word alone is not one."""
    found: list[str] = []
    for number in numbers:
        word = words[number]
        if word.text[0].isupper() and word.stem and (number > 0 or found):
            found.append(word.stem)
        elif found:
            break
    return frozenset(found)


def _distance(number: int, first: int, last: int) -> int:
    return first - number if number < first else number - last


def _verb(asked: AskedFor, words: Sequence[SentenceWord], first: int, last: int) -> int | None:
    """The nearest word of the question that is not a name and does not say what is asked for."""
    plain = asked.stems - asked.names - set(asked.focus[:1])
    found = [
        number
        for number, word in enumerate(words)
        if word.stem in plain and not first <= number <= last
    ]
    return min(found, key=lambda number: _distance(number, first, last), default=None)
