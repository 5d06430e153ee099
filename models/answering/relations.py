"""Relations that questions ask for and pages state: born in, directed by, daughter of.

Each has words by which a question asks for it, and patterns by which a sentence states it of the
page's subject. `N` stands for a name, `D` for a date, `P` for a place, `C` for a country or its
adjective; the answer is what the group holds. These are the frames of English reference prose, not
of a data set; where none fits, the span extractor looks for what stands near the question's words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from factmill.models.answering.question_kinds import Kind
from factmill.models.answering.sentence_spans import Span

_UPPER = "".join(filter(str.isupper, map(chr, range(0x2000))))
_WORD = rf"[{_UPPER}](?:[\w'’&-]|\.(?=\w))*(?:(?<=\b[{_UPPER}])\.|(?<=Jr|Sr|St|Dr)\.)?"
_TIE = r"(?:of|de|da|di|du|del|della|van|von|der|den|la|le|el|al|bin|ibn|y|zu|af|the|ter|do|dos|mac|ap|ab|ben|bint|ua)"
_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|Jan\.?|Feb\.?|Mar\.?|Apr\.?|Jun\.?|Jul\.?|Aug\.?|Sept?\.?|Oct\.?|Nov\.?|Dec\.?)"
)
_NO_NAME = rf"(?!(?:{_MONTH}|He|She|It|They|His|Her|The|In|On|At|After|When|While|A|An|This)(?![\w.]))"
_NAME = rf"{_NO_NAME}{_WORD}(?:[ -]+(?:{_TIE}[ -]+){{0,2}}{_NO_NAME}{_WORD})*"
_RANK = r"(?:Duke|Earl|Baron|Count|King|Prince|Landgrave|Marquess|Margrave|Elector|Viscount)"
_ORDINAL = (
    rf"(?:, (?:\d+(?:st|nd|rd|th) )?{_RANK}\b(?: of (?:the )?[{_UPPER}][^\s,.;()]*"
    rf"(?: [{_UPPER}][^\s,.;()]*)*)?)?"
)
# A name that is but an adjective of what follows: "Puerto Rican actress Mapy Cortés".
_NO_ADJECTIVE = (
    r"(?! (?!(?:and|in|of|on|at|from|with|for|to|who|by|as|the|or|after|before|during|since|until"
    rf"|when|was|is|had|but|while)\b)[a-z-]+ [{_UPPER}])"
)
_YEAR = r"(?:1\d{3}|20\d{2}|[1-9]\d{2})"
_DATE = (
    rf"(?:(?:\d{{1,2}}(?:st|nd|rd|th)? (?:of )?)?{_MONTH},? {_YEAR}|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? {_YEAR}"
    rf"|{_YEAR})\b"
)
_PLACE = rf"(?:the )?{_NAME}(?:, {_NAME}){{0,2}}"
# Titles and descriptions between a word of a relation and the name.
_TITLE = r"(?:(?:the |a |an |his |her |its |their |former |late |first |second |third |fellow )?(?:[\w-]+[ ,]+){0,4}?)"
# The same before a name that follows directly: "by American director", "by the".
_SHORT = (
    r"(?:(?:the |an? |his |her )?(?:[A-Z][a-z]+(?:-[A-Z]?[a-z]+)? (?=[a-z]))?(?:[a-z-]+ ){0,3})"
)


@dataclass(frozen=True)
class Relation:
    """`asks` finds the relation in a question; `states` are patterns, the surest first."""

    name: str
    kind: Kind
    asks: str
    states: tuple[str, ...]
    question: str

    @property
    def is_person(self) -> bool:
        """Whether the answer is the name of somebody."""
        return self.kind is Kind.PERSON

    @cached_property
    def asked(self) -> re.Pattern[str]:
        return re.compile(self.asks, re.IGNORECASE)

    @cached_property
    def patterns(self) -> list[re.Pattern[str]]:
        return [re.compile(_expanded(pattern)) for pattern in self.states]

    def stated(self, text: str) -> Iterator[tuple[Span, int]]:
        """Answers in a text, with the number of the pattern that found each."""
        for number, pattern in enumerate(self.patterns):
            for match in pattern.finditer(text):
                yield _trimmed(text, *match.span(1)), number


def _expanded(pattern: str) -> str:
    for sign, meaning in (
        ("<N>", rf"({_NAME}{_ORDINAL}){_NO_ADJECTIVE}"), ("<D>", f"({_DATE})"), ("<P>", f"({_PLACE})"),
        ("<d>", _DATE), ("<n>", _NAME), ("<p>", _PLACE), ("<t>", _TITLE), ("<s>", _SHORT),
    ):  # fmt: skip
        pattern = pattern.replace(sign, meaning)
    return pattern


def _trimmed(text: str, start: int, end: int) -> Span:
    while end > start and text[end - 1] in ",;:' ’":
        end -= 1
    if text[start:end].endswith(("'s", "’s")):
        end -= 2
    return start, end


_BY = r"\bby <s>"
RELATIONS: tuple[Relation, ...] = (
    Relation(
        "born in", Kind.PLACE,
        r"\b(?:place of birth|birth ?place|hometown)\b|\bwhere (?:was|were|is)\b.*\bborn\b"
        r"|\b(?:city|town|country|state|place|village)\b.*\bborn\b|\bborn in (?:which|what)\b",
        (
            r"\b[Bb]orn(?: and raised| and brought up)?(?: on)?(?: <d>,?)? (?:in|at|near) (?:the (?:city|town|village) of )?<P>",
            r"\b[Bb]orn [^.;()]{0,60}?\b(?:in|at|near) (?:the (?:city|town|village) of )?(?!<d>)<P>",
            r"\(\s*(?:born |b\. ?)?<d>(?: in|,|;|) ?<P>", r"\bnative of <P>", r"\bis from <P>", r"\bgrew up in <P>", r"\bhails from <P>",
        ),
        "Where was {} born?",
    ),
    Relation(
        "died in", Kind.PLACE,
        r"\b(?:place of death)\b|\bwhere did\b.*\bdie\b|\b(?:city|town|country|state|place)\b.*\bdied?\b",
        (
            r"\b[Dd]ied(?: on)?(?: <d>,?)?(?: at (?:his|her) (?:home|residence))? (?:in|at|near) (?:the (?:city|town|village) of )?<P>",
            r"\b(?:[Dd]ied|[Dd]eath|killed|executed|assassinated)\b[^.;()]{0,60}?\b(?:in|at|near) (?!<d>)(?:the (?:city|town|village) of )?<P>",
            r"(?:–|-|—|died|d\.) ?<d>(?: in|,|;|) ?<P>\s*\)",
        ),
        "Where did {} die?",
    ),
    Relation(
        "born on", Kind.DATE,
        r"\b(?:date of birth|birth ?day|birth ?date|year of birth)\b|\b(?:when|year|date|day|month)\b.*\bborn\b|\bborn (?:in|on) (?:which|what)\b",
        (
            r"\b[Bb]orn(?: [^.;()\d]{0,40}?)?(?: on| in|;|,|:)? ?<D>", r"\(\s*(?:[^()]{0,80}?[;,] ?)?(?:c\. ?|ca\. ?|circa |about )?<D>(?:[^()\d]{0,40}?)? ?(?:–|-|—|to|died)",
            r"\bb\. ?<D>", r"\(\s*<D>(?: in| –|, [^()]*)?\s*\)?",
        ),
        "When was {} born?",
    ),
    Relation(
        "died on", Kind.DATE,
        r"\b(?:date of death|year of death)\b|\bwhen did\b.*\bdie\b|\b(?:when|year|date|day|month)\b.*\b(?:die|died|death)\b|\bdied (?:in|on) (?:which|what)\b",
        (
            r"\b[Dd]ied\b(?: [^.;()\d]{0,40}?)?(?: on| in|;|,|:)? ?<D>", r"\bd\. ?<D>", r"†\s?<D>",
            r"<d>[^()\d]{0,60}? ?(?:–|-|—) ?(?:c\. ?)?(?:died )?<D>[^()]{0,60}?\)", r"\b(?:death|killed|executed|assassinated)\b[^.;()\d]{0,40}? (?:on|in) <D>",
            r"\b(?:until|till) (?:his|her) death (?:on|in) <D>",
        ),
        "When did {} die?",
    ),
    Relation(
        "released", Kind.DATE,
        r"\b(?:release|released|releases|come out|came out|premiered?|publication date|published|airs?|aired)\b",
        (
            r"\b[Rr]eleased\b[^.;()\d]{0,60}? <D>", r"\b(?:is|was) (?:a|an|the) <D>(?![-–/]\d)(?= )", r"\b(?:published|premiered|aired|issued)\b[^.;()\d]{0,60}? <D>",
            r"\b<D> (?:[\w-]+ ){0,5}?(?:film|movie|song|single|album|novel|book|comedy|drama|western|documentary|series|serial|short|thriller)\b",
            r"\(\s*<D>\s*\)",
        ),
        "When was {} released?",
    ),
    Relation(
        "founded on", Kind.DATE,
        r"\b(?:when|year|date|first|earlier|later|older|newer|more recently)\b.*\b(?:founded|established|created|opened|built|formed|constructed|started|begun?|launched|completed|incorporated|inception)\b"
        r"|\b(?:founded|established|created|opened|built|formed|constructed|started|launched|completed|incorporated)\b.*\b(?:first|earlier|later|last)\b",
        (
            r"\b(?:[Ff]ounded|[Ee]stablished|[Cc]reated|[Oo]pened|[Bb]uilt|[Ff]ormed|[Cc]onstructed|[Ss]tarted|[Bb]egan|[Ll]aunched|[Cc]ompleted|[Ii]ncorporated|[Ii]naugurated)\b[^.;()\d]{0,60}? <D>",
            r"\b[Ss]ince <D>", r"\b[Ii]n <D>,? [^.;]{0,60}\b(?:founded|established|created|opened|built|formed)\b", r"\b(?:from|in) <D>",
        ),
        "When was {} founded?",
    ),
    Relation(
        "nationality", Kind.PLACE,
        r"\bnationalit(?:y|ies)\b|\b(?:which|what) country\b.*\b(?:from|citizen)\b|\bcountry of (?:citizenship|origin)\b|\bsame country\b|\bcitizenship\b",
        (),
        "What is the nationality of {}?",
    ),
    Relation(
        "country", Kind.PLACE,
        r"\b(?:which|what) country\b|\blocated in\b.*\bcountry\b",
        (), "Which country is {} located in?",
    ),
    Relation(
        "director", Kind.PERSON,
        r"\bdirect(?:or|ors|ed|s|or's)\b|\bfilm ?makers?\b",
        (
            rf"\b[Dd]irected(?:,? (?:and |co-)?[a-z-]+(?: and [a-z-]+)?)?(?: in \d+)? {_BY}<N>", rf"\b(?:film|movie|comedy|drama|western|serial|documentary|remake|thriller) {_BY}(?:director )?<N>",
            r"\b[Dd]irector(?:s)?(?: was| is|,|:)? <N>", r"\bdirectorial (?:debut|venture|film)[^.]{0,20} (?:of|by|for) <s><N>", r"\b<N>(?:'s|’s)? (?:directorial|directed)\b", r"\b<N>, who (?:also )?directed\b",
        ),
        "Who is the director of {}?",
    ),
    Relation(
        "performer", Kind.PERSON,
        r"\b(?:performers?|performed|sang|sung|sings|recorded|singers?)\b",
        (
            rf"\b(?:song|single|album|track|record|duet|ballad|EP|hit|recording|composition|tune|mixtape)\b[^.;()]{{0,60}}? {_BY}<N>",
            rf"\b(?:recorded|performed|sung)\b(?: and [a-z-]+)*[^.;()]{{0,30}}? {_BY}<N>",
            rf"{_BY}<N>", r"\b<N>(?:'s|’s) (?:[\w-]+ ){{0,3}}(?:song|single|album|track)\b",
        ),
        "Who is the performer of {}?",
    ),
    Relation(
        "composer", Kind.PERSON,
        r"\b(?:compos(?:er|ers|ed)|music (?:by|of|for)|soundtrack)\b",
        (
            rf"\b(?:composed|scored)\b[^.;()]{{0,40}}? {_BY}<N>", r"\b(?:[Mm]usic|[Ss]core|[Ss]oundtrack|songs)\b[^.;()]{0,50}? (?:by|from) <s><N>",
            r"\b[Cc]omposers? <s><N>", rf"\b(?:written|penned|co-written) {_BY}<N>", r"\b<N> (?:composed|wrote|scored)\b",
        ),
        "Who is the composer of {}?",
    ),
    Relation(
        "author", Kind.PERSON,
        r"\b(?:authors?|writers?|wrote|written|screenwriters?|creators?|created by|creator)\b",
        (
            rf"\b(?:[Ww]ritten|[Cc]reated|[Pp]enned|[Aa]uthored|[Cc]o-written)\b(?: and [a-z-]+)*[^.;()]{{0,20}}? {_BY}<N>", rf"\b(?:novel|book|play|story|poem|work|essay|memoir|series|manga|comic|collection) {_BY}<N>",
            r"\b(?:[Aa]uthor|[Ww]riter|[Nn]ovelist|[Cc]reator)s? <s><N>", r"\b<N>(?:'s|’s) (?:[\w-]+ ){0,3}(?:novel|book|play|story)\b", r"\b<N> (?:wrote|created)\b",
        ),
        "Who is the author of {}?",
    ),
    Relation(
        "producer", Kind.PERSON, r"\bproduc(?:er|ers|ed)\b",
        (rf"\b[Pp]roduced\b(?: and [a-z-]+)*[^.;()]{{0,20}}? {_BY}<N>", r"\b[Pp]roducers? <s><N>"),
        "Who is the producer of {}?",
    ),
    Relation(
        "founder", Kind.PERSON, r"\b(?:founders?|founded|co-founded|established|creators?|started) (?:of|by)?\b|\bwho (?:founded|established|created|started)\b",
        (
            rf"\b(?:[Ff]ounded|[Ee]stablished|[Cc]reated|[Ss]tarted|[Ff]ormed|[Ll]aunched|[Dd]esigned|[Bb]uilt)\b[^.;()]{{0,40}}? {_BY}<N>", r"\b(?:co-)?[Ff]ounders? <s><N>", r"\b<N> (?:co-)?(?:founded|established|created|started)\b",
        ),
        "Who is the founder of {}?",
    ),
    Relation(
        "spouse", Kind.PERSON,
        r"\b(?:wife|husband|spouse|married|marry|consort|wives|partner|widow|widower)\b",
        (
            r"\b(?:[Mm]arried|[Mm]arriage)(?: to| with)? <t><N>", r"\b(?:wife|husband|spouse|consort|widow|widower|queen|partner)(?: was| is| of|,| named|:)? ?<t><N>",
            r"\bwed <t><N>", r"\b<N>(?:'s|’s) (?:[\w-]+ )?(?:wife|husband|widow|consort)\b",
            r"\b<N>, (?:his|her) (?:[\w-]+ )?(?:wife|husband)\b",
        ),
        "Who is the spouse of {}?",
    ),
    Relation(
        "mother", Kind.PERSON, r"\bmothers?\b|\bmum\b",
        (
            r"\b(?:[Mm]other)(?: was| is| named|,|:)+ <t><N>", r"\b(?:son|daughter|child|children|born)\b(?: of| to)[^.;()]{0,60}? (?:and|by|with) (?:his |her |the )?(?:[\w-]+ ){0,2}?(?:wife|concubine|consort|mistress|queen|spouse)(?:,| named)? <t><N>",
            r"\b(?:son|daughter|child|children)\b (?:of|to|born to) <t><n>[^.;()]{0,60}?(?:\([^()]*\))?[^.;()]{0,30}? (?:and|by) <t><N>", r"\bborn to [^.;()]{0,60}? and <t><N>",
            r"\b<N>, (?:his|her) mother\b", r"\b(?:by|with) (?:his |her )?(?:[\w-]+ ){0,2}?(?:wife|concubine|consort|mistress)(?:,)? <t><N>",
        ),
        "Who is the mother of {}?",
    ),
    Relation(
        "father", Kind.PERSON, r"\bfathers?\b|\bdad\b",
        (
            r"\b(?:[Ff]ather)(?: was| is| named|,|:)+ <t><N>", r"\b(?:son|daughter|child|children|heir)\b (?:of|to|born to) (?!the )<t><N>", r"\b(?:son|daughter|child|children|heir)\b (?:of|to|born to) <t><N>",
            r"\bborn to <t><N>", r"\b<N>(?:'s|’s) (?:[\w-]+ ){0,2}(?:son|daughter)\b", r"\b<N>, (?:his|her) father\b", r"\bsucceeded (?:his|her) father,? <t><N>",
        ),
        "Who is the father of {}?",
    ),
    Relation(
        "child", Kind.PERSON, r"\b(?:child|children|son|sons|daughter|daughters)\b",
        (
            r"\b(?:[Ff]ather|[Mm]other|[Pp]arent) (?:of|to) <t><N>", r"\b(?:sons?|daughters?|child|children)(?: was| is| named|,|:)? <t><N>", r"\b<N>, (?:his|her) (?:[\w-]+ )?(?:son|daughter)\b",
        ),
        "Who is the child of {}?",
    ),
    Relation(
        "sibling", Kind.PERSON, r"\b(?:siblings?|brothers?|sisters?)\b",
        (
            r"\b(?:[Bb]rothers?|[Ss]isters?|[Ss]iblings?)(?: of| to| was| is| named|,|:)? <t><N>", r"\b<N>(?:'s|’s) (?:[\w-]+ ){0,2}(?:brother|sister)\b",
        ),
        "Who is the sibling of {}?",
    ),
    Relation(
        "studied at", Kind.PLACE, r"\b(?:stud(?:y|ied)|educated|graduated?|alma mater|attended?|school|university|college|alumn\w+)\b",
        (
            r"\b(?:[Ee]ducated|[Ss]tudied|[Gg]raduated|[Ee]nrolled|degree|alumn\w+)\b[^.;()]{0,50}? (?:at|from|of|in) (?:the )?<N>", r"\b[Aa]ttended (?:the )?<N>",
        ),
        "Where did {} study?",
    ),
    Relation(
        "works at", Kind.PLACE, r"\b(?:works? (?:at|for)|worked (?:at|for)|employ(?:er|ed|s)|where does\b.*\bwork|where did\b.*\bwork|teach(?:es)?)\b",
        (
            r"\b(?:[Pp]rofessor|[Tt]eaches|[Tt]aught|[Ww]orks|[Ww]orked|[Ll]ecturer|[Ff]aculty|[Ii]nstructor|[Ee]mployed|[Ee]ditor|[Ff]ellow)\b[^.;()]{0,50}? (?:at|for|of|by) (?:the )?<N>",
        ),
        "Where does {} work?",
    ),
    Relation(
        "buried at", Kind.PLACE, r"\b(?:buried|burial|interred|entombed|grave|laid to rest)\b",
        (r"\b(?:[Bb]uried|[Ii]nterred|[Ee]ntombed|[Ll]aid to rest|burial)\b[^.;()]{0,30}? (?:in|at|within|near) (?:the )?<P>",),
        "Where was {} buried?",
    ),
    Relation(
        "died of", Kind.REASON, r"\b(?:cause of death|why did\b.*\bdie|how did\b.*\bdie|died? of|died? from)\b",
        (
            r"\bdied (?:[^.;()]{0,40}? )?(?:of|from) (?:an? |the |complications (?:of|from) )?((?:[a-z-]+ ){0,2}[a-z-]+)(?=[,.;)]| in | at | on | and | after | while |$)", r"\b(?:killed|died) (?:in|during) (an? (?:[a-z-]+ ){0,2}(?:accident|crash|fire|attack|explosion|battle))\b",
            r"\b(suicide|tuberculosis|cancer|pneumonia|heart attack|heart failure|stroke|leukemia|malaria|cholera|smallpox|plague|influenza|AIDS|diabetes)\b",
        ),
        "What did {} die of?",
    ),
    Relation(
        "award", Kind.THING, r"\b(?:awards?|prizes?|medals?|honou?rs?)\b",
        (r"\b(?:[Ww]on|[Rr]eceived|[Aa]warded|[Rr]ecipient of|[Ww]inner of|[Hh]onou?red with)\b[^.;()]{0,30}? (?:the )?((?:[A-Z][\w'’-]+ )+(?:Award|Prize|Medal|Order|Cross|Fellowship)s?(?: (?:of|for) [A-Z]\w+(?: [A-Z]\w+)*)?)",),
        "What award did {} receive?",
    ),
    Relation(
        "occupation", Kind.THING, r"\b(?:occupations?|professions?|jobs?|for a living)\b",
        (r"\b(?:is|was) (?:an? |the )(?:[A-Z][\w-]+(?: |-))*((?:[a-z-]+ )?[a-z-]*(?:er|or|ist|ian|man|woman|ant|eer|ess|poet|king|queen|nurse|judge|artist|coach|chef|monk|spy)(?:,? (?:and )?(?:[a-z-]+ )?[a-z-]*(?:er|or|ist|ian|man|ant|eer|poet))*)\b",),
        "What is the occupation of {}?",
    ),
)  # fmt: skip
BY_NAME = {relation.name: relation for relation in RELATIONS}


def relation_asked(question: str) -> Relation | None:
    """The relation that a question of one hop asks for."""
    return next((relation for relation in RELATIONS if relation.asked.search(question)), None)
