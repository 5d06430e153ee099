import pytest

from factmill.models.readers.heuristic.whole_sentences import read_whole_sentences

TOWER = "Der Turm wurde 1881 auf einem Felsen gebaut."


def _stated(text: str) -> list[str]:
    return [one.text for one in read_whole_sentences(text).statements]


@pytest.mark.parametrize(
    "sentence",
    [
        "Ist der Turm in der Stadt Oslo alt?",
        "Der Turm in der Stadt Oslo ist alt!",
        "„Der Turm in der Stadt Oslo ist alt!“",
        "東京の塔は古いですか。",
        "東京の塔は古い！",
        "Le leader français.",
    ],
)
def test_questions_exclamations_and_fragments_are_not_stated(sentence: str) -> None:
    assert _stated(f"{TOWER} {sentence}") == [TOWER]


def test_sentences_are_stated_unchanged_and_nothing_is_asked() -> None:
    text = f"{TOWER} Der Turm steht auf einem Felsen im Meer."
    reading = read_whole_sentences(text)
    assert [text[one.start : one.end] for one in reading.statements] == _stated(text)
    assert _stated(text) == [TOWER, "Der Turm steht auf einem Felsen im Meer."]
    assert reading.questions == ()


def test_what_the_site_says_in_english_is_left_out() -> None:
    assert _stated(f"{TOWER} Looks like we're having trouble connecting to our server.") == [TOWER]


@pytest.mark.parametrize(
    "sentence",
    ["이순신은 조선의 장군이다.", "Москва — столица России.", "Le phare ferme tôt."],
)
def test_short_sentence_is_stated(sentence: str) -> None:
    assert _stated(sentence) == [sentence]


def test_language_is_that_of_the_whole_text() -> None:
    """ "Er" alone could be Norwegian, where it is "is"."""
    alone = "Er Oslo in Norwegen."
    assert _stated(f"{TOWER} {alone}") == [TOWER]


def test_sentence_that_leans_on_others_is_a_fault_and_evidence_is_its_place() -> None:
    text = f"{TOWER} Er steht in der Bucht von Oslo."
    reading = read_whole_sentences(text)
    assert [(one.start, one.end) for one in reading.statements] == [(0, len(TOWER))]
    assert [one.reason for one in reading.faults] == ["pronoun_subject", "unsupported_language"]


def test_text_that_states_nothing_has_no_faults_of_language() -> None:
    assert read_whole_sentences("Wo ist der Turm in der Stadt?").faults == ()
