"""Questions without what people say around them.

    "Hello, do you know when the mill was built?"    "When was the mill built?"
    "Please tell me who built it."                   "Who built it?"
    "Can you tell me if dogs are allowed?"           "Are dogs allowed?"

A clause gets the order of words of a question, where it is clear which words these are.
"""

from __future__ import annotations

import re

_GREETING = re.compile(
    r"(?:(?:hi|hello|hey|good (?:morning|afternoon|evening|day)|dear [\w ]{1,20}|excuse me|sorry"
    r"|please|thanks|thank you)(?: (?:there|all|everyone|everybody))?\s*[,!.:;–-]\s*)+",
    re.IGNORECASE,
)
_VERB = r"(?:is|are|was|were|can|could|may|might|must|has|have|had|will|would|should|does|do|did)"
_SOMEBODY = r"(?:you|anyone|anybody|someone|somebody)"
_ASKS = r"(?:what|which|who|whom|whose|when|where|why|how)\b"
_BEFORE = r"(?:(?:in|on|at|from|to|by|of|for|with|until|since) )?"
_I_ASK = re.compile(
    rf"(?:please )?(?:"
    rf"(?:can|could|would|will) {_SOMEBODY} (?:please |kindly |possibly )*"
    r"(?:tell (?:me|us)|say|find out|let (?:me|us) know|remind me)"
    rf"|(?:do|does) {_SOMEBODY} (?:happen to |perhaps )?(?:know|remember|recall)"
    r"|(?:tell|remind) (?:me|us)|let (?:me|us) know"
    r"|(?:i|we)(?: would|['’]d) (?:like|love) to (?:know|find out|learn)"
    r"|(?:i|we) (?:want|need|wish) to (?:know|find out|learn)"
    r"|(?:i|we) (?:wonder|was wondering|were wondering)|(?:i am|i['’]m|just) (?:wondering|curious)"
    r"|i am trying to find out|(?:have you |has anyone )?(?:got )?any idea|is it known"
    rf")(?:(?: about)?[,:]? (?=if\b|whether\b|{_BEFORE}{_ASKS})| (?=the\b.+ (?:of|for) ))",
    re.IGNORECASE,
)
_ASKING = re.compile(rf"{_BEFORE}{_ASKS}|{_VERB}\b", re.IGNORECASE)
_THANKS = re.compile(
    r"(?<![,.!?\s–-])[,.!?\s–-]*"
    r"(?:please|thanks(?: a lot)?|thank you(?: very much)?|many thanks)[\s.!?]*$",
    re.IGNORECASE,
)
_NO_RELATIVE = r"(?:(?!that\b|who\b|which\b|whose\b|where\b|when\b)[^\s,;]+ ){1,9}?"
_IF = re.compile(
    rf"(?:if|whether) (?P<who>{_NO_RELATIVE})(?P<verb>{_VERB})\b(?P<rest>.*)", re.IGNORECASE
)
# What asks, its subject, its verb: "how tall the tower is".
_MEASURED = r"(?: (?:far|long|tall|high|old|deep|wide|big|heavy|large|fast|often|much|thick))?"
_SUBJECT = (
    r"(?=(?:the|an?|it|they|he|she|this|these|those|his|her|its|their|my|our|your)\b|[A-Z])"
    + _NO_RELATIVE
)
_CLAUSE = re.compile(
    rf"(?P<asks>(?i:{_BEFORE}(?:(?:what|which) (?:year|date|day|month|time)|what|who|whom|when"
    rf"|where|why|how{_MEASURED})))"
    rf" (?P<who>{_SUBJECT})(?P<verb>{_VERB})\b(?P<rest>.*)"
)


def without_courtesy(question: str) -> str:
    """A question without a greeting, without that it is one, and without thanks."""
    asked = " ".join(question.split())
    greeting = _GREETING.match(asked)
    asked = asked[greeting.end() :] if greeting else asked
    said = _I_ASK.match(asked)
    if said is None:
        plain = _THANKS.sub("?", asked)
        if not _ASKING.match(plain):
            return question
        return _upper(plain) if greeting else plain
    asked = _THANKS.sub("", asked[said.end() :]).rstrip(" ?.!")
    return _in_order(asked) + "?"


def _in_order(clause: str) -> str:
    """A clause in the order of a question; of what is only named, what it is."""
    if clause.lower().startswith("the "):
        return f"What is {clause}"
    if (found := _IF.fullmatch(clause)) is not None:
        return _upper(f"{found['verb']} {found['who']}{found['rest'].strip()}".strip())
    if re.match(r"(?:if|whether) ", clause, re.IGNORECASE):
        return f"Is it true that {clause.split(' ', 1)[1]}"
    if (found := _CLAUSE.fullmatch(clause)) is not None:
        asks, who = found["asks"], found["who"].strip()
        return _upper(f"{asks} {found['verb']} {who}{found['rest']}")
    return _upper(clause)


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]
