"""Words of questions, and the words of table headers that they may mean.

"How many athletes won?"     a column "Name" or "Competitor"
"How long is the race?"      a column "Duration"

They only choose among the columns of one table, so a word may mean much: in a sentence, "player" is
no other word for "name". Those of sentences are in `words/paraphrases.py`.
"""

from __future__ import annotations

from factmill.models.answering.words.content_words import stem

# By the word of a question, or by its stem. Words of one stem ("high", "height") need no entry.
_HEADER_WORDS = {
    "player": "name athlete", "athlete": "name player competitor", "person": "name",
    "people": "name", "team": "club side", "club": "team", "country": "nation nationality",
    "nation": "country nationality", "song": "title single", "film": "title movie",
    "movie": "title film", "episode": "title", "book": "title", "album": "title",
    "point": "pts pt score", "score": "result points", "position": "pos rank place finish",
    "rank": "pos position place", "place": "rank position location",
    "location": "place venue city site", "venue": "stadium location site ground",
    "stadium": "venue ground", "crowd": "attendance", "game": "match", "match": "game",
    "opponent": "against versus", "party": "affiliation", "time": "duration length",
    "length": "duration time", "long": "duration", "height": "elevation", "high": "elevation",
    "population": "inhabitants", "inhabitant": "population", "driver": "name rider",
    "rider": "name driver", "school": "college university", "college": "school university",
    "university": "school college", "percent": "%", "percentage": "%", "number": "no #",
    "car": "make model", "attend": "attendance", "language": "tongue", "winner": "champion",
    "champion": "winner", "goal": "gls", "conced": "against", "appearance": "apps caps",
    "role": "character", "character": "role", "notes": "comments", "far": "range",
    "reach": "range arrives arrival", "expensive": "price cost", "shut": "close closing",
    "cost": "price", "leave": "departs departure", "left": "departed departs departure",
    "depart": "departure leaves", "arrive": "arrival", "get": "arrives arrival",
    "back": "arrives return", "internet": "online", "web": "online", "dimension": "size",
    "large": "area size", "big": "area size",
    "defeat": "lost losses", "loss": "lost losses", "victory": "won wins", "win": "won",
}  # fmt: skip


def header_words(word: str) -> list[str]:
    """The words of headers that a word of a question may mean, beside itself."""
    for form in (word, word.removesuffix("s"), stem(word)):
        if form in _HEADER_WORDS:
            return _HEADER_WORDS[form].split()
    return []
