import pytest

from factmill.models.readers.heuristic.lexicon import words_of
from factmill.models.readers.heuristic.speakers import has_speaker


@pytest.mark.parametrize(
    ("sentence", "speaks"),
    [
        ("The Sennheiser HD820 I have not heard.", True),
        ("After the war we moved to Oslo.", True),
        ("King Charles I had a lighthouse built on Skell.", False),
        ("World War I ended in 1918.", False),
    ],
)
def test_first_person_is_told_from_a_number(sentence: str, speaks: bool) -> None:
    assert has_speaker(sentence, {word.low for word in words_of(sentence)}) is speaks
