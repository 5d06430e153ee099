"""Equivalent names: adjectives and short names of countries."""

from __future__ import annotations

_GROUPS = """
america american americans us usa united states
argentina argentine argentinian argentinean
bangladesh bangladeshi
belgium belgian
brazil brazilian
britain british briton uk gb united kingdom
burma burmese myanmar
canada canadian
chile chilean
china chinese
congo congolese
croatia croatian croat
cyprus cypriot
czechia czech czechoslovakia czechoslovak
denmark danish dane
england english
egypt egyptian
europe european
finland finnish finn
france french
germany german
ghana ghanaian
greece greek
hungary hungarian
iceland icelandic
iraq iraqi
ireland irish
israel israeli
ivory ivorian
kazakhstan kazakh
lebanon lebanese
luxembourg luxembourgish luxembourger
malta maltese
mexico mexican
monaco monegasque
netherlands dutch holland
norway norwegian
pakistan pakistani
peru peruvian
philippines filipino filipina philippine
poland polish pole
portugal portuguese
scotland scottish scots scot
serbia serbian serb
slovakia slovak
slovenia slovene slovenian
soviet ussr
spain spanish spaniard
sweden swedish swede
television tv
switzerland swiss
thailand thai
turkey turkish turk
ukraine ukrainian
uzbekistan uzbek
vietnam vietnamese
wales welsh
zealand zealander
"""
_GROUP_OF: dict[str, list[str]] = {}
for _group in map(str.split, _GROUPS.strip().split("\n")):
    for _word in _group:
        _GROUP_OF.setdefault(_word, []).extend(_group)
# Italy and Italian, Indonesia and Indonesian, Japan and Japanese, Kuwait and Kuwaiti.
_ENDINGS = ("an", "ian", "n", "ese", "i", "ish", "ic", "ns", "ans", "ians", "ism", "ist")


def related(name: str) -> list[str]:
    """The words (in lower case) equivalent to a name: "norwegian" for "norway"."""
    if name in _GROUP_OF:
        return _GROUP_OF[name]
    found = []
    stems = (name, name[:-1]) if name[-1:] in ("a", "e", "o", "y") else (name,)
    found += [stem + ending for stem in stems for ending in _ENDINGS]
    for ending in _ENDINGS:
        stem = name.removesuffix(ending)
        if stem != name and len(stem) >= 3:
            found += [stem, stem + "a", stem + "e", stem + "y", stem + "o"]
            found += [stem + other for other in _ENDINGS]
    return found
