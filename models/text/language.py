"""The language of a text, by the letter sequences of a sample.

The declared language of a page comes second: templates say `lang="en"` whatever is in them, so a
text that is long enough decides. For a short text, and between close relatives (Croatian and
Serbian, Danish and Norwegian), the declared language stands.
"""

from __future__ import annotations

from collections import Counter

from py3langid.langid import MODEL_FILE, LanguageIdentifier

# Time is proportional to the sample. Several windows see past a foreign first line; small ones
# suffice for most texts.
_WINDOWS = 4
_WINDOW_BYTES = (50, 200)
_PLAIN_PROBABILITY = 0.9
# Below either bound, a name or a menu would pass for a language.
_MIN_LETTERS = 20
_MIN_PROBABILITY = 0.5
# A declared language at least this likely is not contradicted by the text.
_MIN_DECLARED_PROBABILITY = 0.1
# Written alike; ISO 639 has one two-letter code for each family.
_FAMILY = {"wuu": "zh", "yue": "zh", "ary": "ar", "arz": "ar", "uzs": "uz", "sdh": "ku"}
# Declared codes and our codes: older codes and other names of one language.
_SAME = {"nb": "no", "iw": "he", "in": "id", "fil": "tl", "cmn": "zh", "eng": "en"}
_NO_LANGUAGE = "zxx"


class LanguageFinder:
    """Recognises about 130 languages. Loading takes half a second and 100 MB, so load it once per
    process.
    """

    def __init__(self) -> None:
        self._identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)

    def find(self, text: str, declared: str = "") -> str:
        """An ISO 639 code of two or three letters; `declared` when the text does not decide. ""
        means that neither does.
        """
        found, probability = _NO_LANGUAGE, Counter[str]()
        for window in _WINDOW_BYTES:
            sample = _sample(text, window)
            if sum(map(str.isalpha, sample)) < _MIN_LETTERS:
                continue
            probability = self._probabilities(sample)
            [(found, share)] = probability.most_common(1)
            if share >= _PLAIN_PROBABILITY:
                break
        likely = found != _NO_LANGUAGE and probability[found] >= _MIN_PROBABILITY
        said = _SAME.get(declared, declared)
        return found if likely and probability[said] < _MIN_DECLARED_PROBABILITY else declared

    def _probabilities(self, sample: str) -> Counter[str]:
        probability: Counter[str] = Counter()
        for language, share in self._identifier.rank(sample)[:12]:
            probability[_FAMILY.get(language, language)] += share
        return probability


def _sample(text: str, window: int) -> str:
    """Windows of equal length from all over the text; the whole text when it is short."""
    if len(text) <= _WINDOWS * window:
        return _cut(text, _WINDOWS * window)
    step = len(text) // _WINDOWS
    starts = range(0, _WINDOWS * step, step)
    return " ".join(_cut(text[start : start + window], window) for start in starts)


def _cut(text: str, size: int) -> str:
    """At most `size` bytes of the text: a Chinese character takes as long as three English ones."""
    return text.encode("utf-8", "ignore")[:size].decode("utf-8", "ignore")
