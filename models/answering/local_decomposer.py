"""Questions taken apart by rule: chains of relations, two things compared, yes or no.

    "When did the director of Jaws die?"        1 who is the director of Jaws   2 when did [1] die
    "Who is older, Ann or Bob?"                 1, 2 when was each born         the earlier
    "Are Ann and Bob of the same nationality?"  1, 2 what is the nationality    the same?

Rules over question words; nothing is learned. A question that no rule knows stays one question.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from factmill.models.answering.noun_chains import NounChain, noun_chain
from factmill.models.answering.relations import BY_NAME, relation_asked
from factmill.models.answering.subquestions import SubQuestion, single


class Combining(Enum):
    """What is made of the answers."""

    LAST = "the answer to the last question"
    LEAST = "the option with the least value"
    MOST = "the option with the greatest value"
    LONGEST = "the option with the longest time between two dates"
    SAME = "whether the values are the same"
    FIT = "the option whose page fits best"


@dataclass(frozen=True, slots=True)
class Plan:
    """Sub-questions, and what is made of their answers. `values` are for each option the ids of
    the questions whose answers are compared."""

    questions: tuple[SubQuestion, ...]
    combining: Combining = Combining.LAST
    options: tuple[str, ...] = ()
    values: tuple[tuple[str, ...], ...] = ()


_WH = r"(?:which|who|what|whose|whom|where|when|how)"
_CHOICE = re.compile(
    rf"^(?P<stem>{_WH}\b[^,:;]*?)\s*[,:;-]\s*(?P<a>.+?),? (?-i:or) (?P<b>.+)$", re.I
)
_CHOICE_OF = re.compile(
    rf"^(?P<stem>{_WH}\b.*?),? (?:out of|between|among) (?P<a>(?-i:[^a-z]).+?) (?:and|or) (?P<b>(?-i:[^a-z]).+)$",
    re.IGNORECASE,
)
_CHOICE_PLAIN = re.compile(
    r"^(?P<stem>(?:Which|Who|What)\b(?: [a-z0-9-]+)+) (?P<a>[^a-z\s].+?) or (?P<b>.+)$"
)
_CHOICE_CLOSED = re.compile(
    r"^(?P<aux>was|is|did|were|are|does|do|has|have) (?P<a>.+?) or (?P<b>.+?) (?P<stem>(?:born|die|died|released|founded"
    r"|established|built|opened|published|formed|older|younger|the|come|came|created|larger|smaller|taller|longer|higher)\b.*)$",
    re.IGNORECASE,
)
_PAIR = re.compile(
    r"^(?:are|were|do|did|is|was|does|have|has) (?P<before>(?:both|the|of|directors? of|films?|movies?|songs?|"
    r"people|mountains?|rivers?|bands?|books?|novels?|albums?|lakes?|islands?|towns?|villages?|cities|,| )*?)"
    r"(?P<a>(?:(?:the )?[a-z-]+ of (?:the )?(?:film |song |movie )?)?(?-i:[^a-z\s]).*?),? and (?P<b>.+?),? (?P<rest>(?-i:(?:films |movies )?(?:both |all |also )?"
    r"(?:located|from|of the same|share|born|have|has|originate|in the same|come|die|died|the same|based|situated"
    r"|directed|released|founded|made|produced|belong|live|work|play|found|headquartered|native|buried|citizens|set)\b.*))$",
    re.IGNORECASE,
)
_ROLE_IN = re.compile(
    r"\b(director|performer|singer|composer|author|writer|producer|founder|creator|screenwriter)s?\b",
    re.I,
)
_MORE = re.compile(
    r"\b(?:later|latest|last|younger|youngest|more recent(?:ly)?|most recent(?:ly)?|newer|newest|after)\b",
    re.I,
)
_LESS = re.compile(r"\b(?:first|earlier|earliest|older|oldest|before|sooner)\b", re.I)
_GREAT = re.compile(
    r"\b(?:more|larger|bigger|greater|higher|taller|longer|most|largest|biggest|highest|tallest|longest|greatest|wider|deeper)\b",
    re.I,
)
_SMALL = re.compile(
    r"\b(?:less|fewer|smaller|lower|shorter|fewest|smallest|lowest|shortest|least)\b", re.I
)
_LIFE = re.compile(r"\blived? (?:a )?longer\b|\blonger (?:life|lived)\b", re.I)
_DIED = re.compile(r"\bdied?\b|\bdeath\b|\bpassed away\b", re.I)
_BORN = re.compile(r"\bborn\b|\bbirth\b|\bolder\b|\byounger\b|\boldest\b|\byoungest\b", re.I)
_RELEASED = re.compile(
    r"\breleased?\b|\bcome out\b|\bcame out\b|\bpublished\b|\bpremiered?\b|\bissued\b|\bmade\b",
    re.I,
)
_FOUNDED = re.compile(
    r"\b(?:founded|established|created|opened|built|formed|constructed|started|began|launched|completed)\b",
    re.I,
)
_VERB = (
    r"(?:born|die|died|study|studied|work|works|worked|graduate|graduated|buried|educated|live|lived|from"
    r"|released|detained|go|went|attend|attended|teach|taught|marry|married|imprisoned|executed|killed|raised"
    r"|located|based|founded|established|interred|come|grow|win|won|receive|received|play|published|created"
    r"|built|opened|formed|move|moved|become|became|start|started|retire|retired|serve|served)"
)
_FRAME = re.compile(
    rf"^(?P<head>(?:when|where|why|how|in (?:which|what) \w+|(?:which|what) [a-z]+) (?:did|was|were|is|are|does|do|has))"
    rf" (?P<np>.+?) (?P<vp>(?-i:{_VERB}(?: [a-z]+){{0,3}}))$",
    re.IGNORECASE,
)
_FROM = re.compile(
    r"^(?:which|what) (?:country|nation) (?:is |was )?(?P<np>.+?) (?:is |was |comes? )?from$", re.I
)
_NATIONALITY = re.compile(
    r"^(?:which|what) (?:nationality|country) (?:is|was|does|did) (?P<np>.+?)(?: have| hold)?$",
    re.I,
)
_IS = re.compile(r"^(?:who|what|where|when|which) (?:is|was|were|are) (?P<np>.+)$", re.IGNORECASE)


def local_plan(question: str) -> Plan:
    """The question taken apart."""
    text = " ".join(question.split()).rstrip("?. ")
    for rule in (_pair, _choice, _chain):
        plan = rule(text)
        if plan is not None:
            return plan
    return Plan(single(question))


class _Asked:
    """Sub-questions being numbered."""

    def __init__(self) -> None:
        self.questions: list[SubQuestion] = []

    def ask(self, text: str, needs: tuple[str, ...] = ()) -> str:
        """The id of a new question."""
        name = str(len(self.questions) + 1)
        self.questions.append(SubQuestion(name, text, needs))
        return name

    def follow(self, chain: NounChain) -> tuple[str, tuple[str, ...]]:
        """Ask for everything on the way; what stands for the end, and what it needs."""
        subject, needs = chain.name, tuple[str, ...]()
        for relation in chain.relations:
            name = self.ask(BY_NAME[relation].question.format(subject), needs)
            subject, needs = f"[{name}]", (name,)
        return subject, needs


def _chain(text: str) -> Plan | None:
    asked = _Asked()
    for pattern in (_FROM, _FRAME, _NATIONALITY, _IS):
        match = pattern.match(text)
        if match is None:
            continue
        chain = noun_chain(match["np"])
        if not chain.relations:
            continue
        if pattern is _IS:
            asked.follow(chain)
            return Plan(tuple(asked.questions))
        subject, needs = asked.follow(chain)
        if pattern is _FRAME:
            asked.ask(f"{match['head']} {subject} {match['vp']}?", needs)
        else:
            asked.ask(BY_NAME["nationality"].question.format(subject), needs)
        return Plan(tuple(asked.questions))
    return None


def _choice(text: str) -> Plan | None:
    match = next(
        (
            found
            for rule in (_CHOICE, _CHOICE_CLOSED, _CHOICE_OF, _CHOICE_PLAIN)
            if (found := rule.match(text))
        ),
        None,
    )
    if match is None:
        return None
    stem, options = match["stem"], (match["a"].strip(" ,"), match["b"].strip(" ,"))
    role = _ROLE_IN.search(stem)
    chains = [_with_role(option, role) for option in options]
    asked = _Asked()
    if _LIFE.search(stem):
        values = tuple(_attributes(asked, chain, ("born on", "died on")) for chain in chains)
        return Plan(tuple(asked.questions), Combining.LONGEST, options, values)
    combining = Combining.MOST if _MORE.search(stem) else Combining.LEAST
    if _MORE.search(stem) or _LESS.search(stem):
        attribute = _date_attribute(stem, role is not None)
        values = tuple(_attributes(asked, chain, (attribute,)) for chain in chains)
        return Plan(tuple(asked.questions), combining, options, values)
    if _GREAT.search(stem) or _SMALL.search(stem):
        combining = Combining.MOST if _GREAT.search(stem) else Combining.LEAST
        values = tuple((asked.ask(_measured(stem, option)),) for option in options)
        return Plan(tuple(asked.questions), combining, options, values)
    values = tuple((asked.ask(f"{stem} {option}?"),) for option in options)
    return Plan(tuple(asked.questions), Combining.FIT, options, values)


def _with_role(option: str, role: re.Match[str] | None) -> NounChain:
    chain = noun_chain(option)
    if role is None or chain.relations:
        return chain
    return noun_chain(f"the {role.group(1).lower()} of {option}")


def _attributes(asked: _Asked, chain: NounChain, attributes: tuple[str, ...]) -> tuple[str, ...]:
    subject, needs = asked.follow(chain)
    return tuple(asked.ask(BY_NAME[one].question.format(subject), needs) for one in attributes)


def _date_attribute(stem: str, of_person: bool) -> str:
    if _DIED.search(stem):
        return "died on"
    if _BORN.search(stem) or of_person:
        return "born on"
    if _FOUNDED.search(stem):
        return "founded on"
    return "released"


def _measured(stem: str, option: str) -> str:
    """A question for the number by which an option is compared."""
    counted = re.search(r"\b(?:more|fewer|most|fewest|less) ([a-z]+(?: [a-z]+)?)", stem, re.I)
    if counted:
        return f"How many {counted.group(1)} does {option} have?"
    noun = re.search(
        r"\b(?:larger|greater|higher|lower|smaller|highest|largest) ([a-z]+)", stem, re.I
    )
    if noun and noun.group(1) not in {"than", "in", "by", "of"}:
        return f"What is the {noun.group(1)} of {option}?"
    adjective = re.search(
        r"\b(tall|long|high|large|big|small|short|wide|deep)(?:er|ger|est|gest)?\b", stem, re.I
    )
    return f"How {adjective.group(1) if adjective else 'large'} is {option}?"


def _pair(text: str) -> Plan | None:
    match = _PAIR.match(text)
    if match is None or not re.search(r"\bsame\b|\bboth\b", text, re.IGNORECASE):
        return None
    rest, before = match["rest"], match["before"]
    same = re.search(r"\bsame ([a-z]+(?: of [a-z]+)?)", rest, re.IGNORECASE)
    if same is None:
        return None
    role = _ROLE_IN.search(f"{before} {rest}")
    chains = [_with_role(option, role) for option in (match["a"], match["b"])]
    attribute = _shared_attribute(rest, same.group(1).lower(), role is not None)
    asked = _Asked()
    values = tuple(_attributes(asked, chain, (attribute,)) for chain in chains)
    return Plan(tuple(asked.questions), Combining.SAME, (match["a"], match["b"]), values)


def _shared_attribute(rest: str, what: str, of_person: bool) -> str:
    if re.search(r"\bborn\b|\bbirth\b", rest, re.IGNORECASE):
        return "born on" if what in {"year", "day", "date", "month"} else "born in"
    if re.search(r"\bdied?\b|\bdeath\b", rest, re.IGNORECASE):
        return "died on" if what in {"year", "day", "date", "month"} else "died in"
    if what in {"nationality", "country", "citizenship", "nation"}:
        located = re.search(
            r"\b(?:located|situated|based|in the same|found)\b", rest, re.IGNORECASE
        )
        return "country" if located and not of_person else "nationality"
    if what in {"occupation", "profession", "job"}:
        return "occupation"
    if what in {"year", "date"}:
        return "released"
    asked = relation_asked(f"What {what} is it?")
    return asked.name if asked else "country"
