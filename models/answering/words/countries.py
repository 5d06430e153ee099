"""Countries in texts: by name, by adjective, by the language of a film, by a state.

`country_of("an American film director")` is "united states"; nationalities and countries are
compared by it.
"""

from __future__ import annotations

import re
from functools import cache

# A country, then its synonyms; "|" between the words of an entry is a blank.
_GROUPS = """
afghanistan afghan; albania albanian; algeria algerian; argentina argentine argentinian argentinean;
armenia armenian; australia australian new|south|wales queensland tasmania; austria austrian;
azerbaijan azerbaijani; bangladesh bangladeshi; belarus belarusian; belgium belgian flemish;
bolivia bolivian; bosnia bosnian; brazil brazilian; bulgaria bulgarian; cambodia cambodian;
cameroon cameroonian; canada canadian ontario quebec alberta british|columbia nova|scotia manitoba
saskatchewan; chile chilean; china chinese mandarin; colombia colombian; congo congolese;
croatia croatian; cuba cuban; cyprus cypriot; czech|republic czech czechoslovakia czechoslovak;
denmark danish dane; ecuador ecuadorian; egypt egyptian; england english; estonia estonian;
ethiopia ethiopian; finland finnish; france french; georgia georgian; germany german prussian
west|german east|german bavaria; ghana ghanaian; greece greek athenian; hong|kong cantonese;
hungary hungarian; iceland icelandic; india indian hindi tamil telugu malayalam kannada bengali
marathi bollywood punjabi gujarati odia; indonesia indonesian; iran iranian persian; iraq iraqi;
ireland irish; israel israeli; italy italian; jamaica jamaican; japan japanese; jordan jordanian;
kazakhstan kazakh; kenya kenyan; kosovo kosovan; latvia latvian; lebanon lebanese; liberia liberian;
libya libyan; lithuania lithuanian; luxembourg luxembourgish; malaysia malaysian; malta maltese;
mexico mexican; moldova moldovan; mongolia mongolian; morocco moroccan; myanmar burmese burma;
nepal nepalese nepali; netherlands dutch; new|zealand; nigeria nigerian nollywood; north|korea;
norway norwegian; pakistan pakistani; palestine palestinian; panama panamanian; peru peruvian;
philippines filipino filipina philippine; poland polish; portugal portuguese; puerto|rico;
romania romanian; russia russian; saudi|arabia saudi; scotland scottish; senegal senegalese;
serbia serbian; singapore singaporean; slovakia slovak; slovenia slovenian slovene; somalia somali;
south|africa south|african; south|korea south|korean korean; soviet|union soviet; spain spanish
catalan; sri|lanka sri|lankan; sudan sudanese; sweden swedish; switzerland swiss; syria syrian;
taiwan taiwanese; tanzania tanzanian; thailand thai; tunisia tunisian; turkey turkish ottoman;
uganda ugandan; ukraine ukrainian; united|kingdom british uk; united|states american usa u.s.
alabama alaska arizona arkansas california colorado connecticut delaware florida hawaii idaho
illinois indiana iowa kansas kentucky louisiana maine maryland massachusetts michigan minnesota
mississippi missouri montana nebraska nevada new|hampshire new|jersey new|mexico new|york
north|carolina north|dakota ohio oklahoma oregon pennsylvania rhode|island south|carolina
south|dakota tennessee texas utah vermont virginia washington west|virginia wisconsin wyoming;
uruguay uruguayan; uzbekistan uzbek; venezuela venezuelan; vietnam vietnamese; wales welsh;
yemen yemeni; yugoslavia yugoslav; zambia zambian; zimbabwe zimbabwean
"""


@cache
def _names() -> dict[str, str]:
    """Every name, in lower case, with its country."""
    names: dict[str, str] = {}
    for group in _GROUPS.replace("\n", " ").split(";"):
        listed = [name.replace("|", " ") for name in group.split()]
        names |= dict.fromkeys(listed, listed[0])
    return names


@cache
def _pattern() -> re.Pattern[str]:
    ordered = sorted(_names(), key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, ordered))})(?!\w)", re.IGNORECASE)


def named_countries(text: str) -> list[tuple[int, int, str]]:
    """Spans of country names in a text, with the countries."""
    return [
        (match.start(), match.end(), _names()[match.group().lower()])
        for match in _pattern().finditer(text)
        if match.group()[0].isupper() and match.group().lower() in _names()  # not "İran"
    ]


def country_of(text: str) -> str | None:
    """The last country in a text: "Paris, Texas, United States"."""
    named = named_countries(text)
    return named[-1][2] if named else None
