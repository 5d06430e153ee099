"""The table of relations: how questions ask for each, and how sentences state it.

These are frames of English reference prose, not of a data set. The most reliable comes first; see
`relations.py` for the notation. If the words of two relations are in a question, the first one
applies.
"""

from __future__ import annotations

from factmill.models.answering.relations.relations import Relation
from factmill.models.answering.words.question_kinds import Kind

# "The director of Jaws was": the entity, before the name.
_OF_IT = r"of [^.;()]{1,80}? (?:is|was|were|are)"
# Words before an active verb: "also directed", "wrote and directed".
_ALSO = r"(?:(?:also|originally|first|later|co-wrote and|wrote and|produced and) )?"
# Kinds that a word asks for: when, where, who.
_OF_QUESTION_WORDS = (Kind.DATE, Kind.PLACE, Kind.PERSON)

RELATIONS: tuple[Relation, ...] = (
    Relation(
        "born in",
        Kind.PLACE,
        (
            r"\b(?:place of birth|birth ?place|hometown)\b|\bwhere (?:was|were|is)\b.*\bborn\b"
            r"|\b(?:city|town|country|state|place|village)\b.*\bborn\b|\bborn in (?:which|what)\b"
        ),
        (
            (
                r"\b[Bb]orn(?: and raised| and brought up)?(?: on)?(?: <d>,?)? (?:in|at|near)"
                r" (?:the (?:city|town|village) of )?<P>"
            ),
            (
                r"\b[Bb]orn [^.;()]{0,60}?\b(?:in|at|near) (?:the (?:city|town|village) of"
                r" )?(?!<d>)<P>"
            ),
            r"\(\s*(?:born |b\. ?)?<d>(?: in|,|;|) ?<P>",
            r"\bnative of <P>",
            r"\bis from <P>",
            r"\bgrew up in <P>",
            r"\bhails from <P>",
        ),
        "Where was {} born?",
    ),
    Relation(
        "died in",
        Kind.PLACE,
        (
            r"\b(?:place of death)\b|\bwhere did\b.*\bdie\b|\b(?:city|town|country|state"
            r"|place)\b.*\bdied?\b"
        ),
        (
            (
                r"\b[Dd]ied(?: on)?(?: <d>,?)?(?: at (?:his|her) (?:home|residence))? (?:in|at"
                r"|near) (?:the (?:city|town|village) of )?<P>"
            ),
            (
                r"\b(?:[Dd]ied|[Dd]eath|killed|executed|assassinated)\b[^.;()]{0,60}?\b(?:in|at"
                r"|near) (?!<d>)(?:the (?:city|town|village) of )?<P>"
            ),
            r"(?:–|-|—|died|d\.) ?<d>(?: in|,|;|) ?<P>\s*\)",
        ),
        "Where did {} die?",
    ),
    Relation(
        "born on",
        Kind.DATE,
        (
            r"\b(?:date of birth|birth ?day|birth ?date|year of birth)\b|\b(?:when|year|date|day"
            r"|month)\b.*\bborn\b|\bborn (?:in|on) (?:which|what)\b"
        ),
        (
            r"\b[Bb]orn(?: [^.;()\d]{0,40}?)?(?: on| in|;|,|:)? ?<D>",
            (
                r"\(\s*(?:[^()]{0,80}?[;,] ?)?(?:c\. ?|ca\. ?|circa |about"
                r" )?<D>(?:[^()\d]{0,40}?)? ?(?:–|-|—|to|died)"
            ),
            r"\bb\. ?<D>",
            r"\(\s*<D>(?: in| –|, [^()]*)?\s*\)?",
        ),
        "When was {} born?",
    ),
    Relation(
        "died on",
        Kind.DATE,
        (
            r"\b(?:date of death|year of death)\b|\bwhen did\b.*\bdie\b|\b(?:when|year|date|day"
            r"|month)\b.*\b(?:die|died|death)\b|\bdied (?:in|on) (?:which|what)\b"
        ),
        (
            r"\b[Dd]ied\b(?: [^.;()\d]{0,40}?)?(?: on| in|;|,|:)? ?<D>",
            r"\bd\. ?<D>",
            r"†\s?<D>",
            r"<d>[^()\d]{0,60}? ?(?:–|-|—) ?(?:c\. ?)?(?:died )?<D>[^()]{0,60}?\)",
            r"\b(?:death|killed|executed|assassinated)\b[^.;()\d]{0,40}? (?:on|in) <D>",
            r"\b(?:until|till) (?:his|her) death (?:on|in) <D>",
            r"\b(?:after|until|before|since) <n>['’]s? death (?:on|in) <D>",
        ),
        "When did {} die?",
    ),
    Relation(
        "released",
        Kind.DATE,
        (
            r"\b(?:release|released|releases|come out|came out|premiered?|publication date"
            r"|published|airs?|aired)\b"
        ),
        (
            r"\b[Rr]eleased\b[^.;()\d]{0,60}? <D>",
            r"\b(?:is|was) (?:a|an|the) <D>(?![-–/]\d)(?= )",
            r"\b(?:published|premiered|aired|issued)\b[^.;()\d]{0,60}? <D>",
            (
                r"\b<D> (?:[\w-]+ ){0,5}?(?:film|movie|song|single|album|novel|book|comedy|drama"
                r"|western|documentary|series|serial|short|thriller)\b"
            ),
            r"\(\s*<D>\s*\)",
        ),
        "When was {} released?",
    ),
    Relation(
        "founded on",
        Kind.DATE,
        (
            r"\b(?:when|year|date|first|earlier|later|older|newer|more recently)\b.*\b(?:founded"
            r"|established|created|opened|built|formed|constructed|started|begun?|launched"
            r"|completed|incorporated|inception)\b|\b(?:founded|established|created|opened|built"
            r"|formed|constructed|started|launched|completed|incorporated)\b.*\b(?:first|earlier"
            r"|later|last)\b"
        ),
        (
            (
                r"\b(?:[Ff]ounded|[Ee]stablished|[Cc]reated|[Oo]pened|[Bb]uilt|[Ff]ormed"
                r"|[Cc]onstructed|[Ss]tarted|[Bb]egan|[Ll]aunched|[Cc]ompleted|[Ii]ncorporated"
                r"|[Ii]naugurated)\b[^.;()\d]{0,60}? <D>"
            ),
            r"\b[Ss]ince <D>",
            r"\b[Ii]n <D>,? [^.;]{0,60}\b(?:founded|established|created|opened|built|formed)\b",
            r"\b(?:from|in) <D>",
        ),
        "When was {} founded?",
    ),
    Relation(
        "nationality",
        Kind.PLACE,
        (
            r"\bnationalit(?:y|ies)\b|\b(?:which|what) country\b.*\b(?:from|citizen)\b|\bcountry"
            r" of (?:citizenship|origin)\b|\bsame country\b|\bcitizenship\b"
        ),
        (),
        "What is the nationality of {}?",
    ),
    Relation(
        "country",
        Kind.PLACE,
        r"\b(?:which|what) country\b|\blocated in\b.*\bcountry\b",
        (),
        "Which country is {} located in?",
    ),
    Relation(
        "director",
        Kind.PERSON,
        r"\bdirect(?:or|ors|ed|s|or's)\b|\bfilm ?makers?\b",
        (
            r"\b[Dd]irected(?:,? (?:and |co-)?[a-z-]+(?: and [a-z-]+)?)?(?: in \d+)? <by><N>",
            (
                r"\b(?:film|movie|comedy|drama|western|serial|documentary|remake|thriller)"
                r" <by>(?:director )?<N>"
            ),
            r"\b[Dd]irector(?:s)?(?: was| is|,|:)? <N>",
            r"\bdirectorial (?:debut|venture|film)[^.]{0,20} (?:of|by|for) <s><N>",
            rf"\b[Dd]irectors? {_OF_IT} <N>",
            rf"\b<A> and <n> {_ALSO}directed\b",
            rf"\b<A>(?:'s|’s)? {_ALSO}(?:directorial|directed)\b",
            r"\b<N>, who (?:also )?directed\b",
        ),
        "Who is the director of {}?",
    ),
    Relation(
        "performer",
        Kind.PERSON,
        r"\b(?:performers?|performed|sang|sung|sings|recorded|singers?)\b",
        (
            (
                r"\b(?:song|single|album|track|record|duet|ballad|EP|hit|recording|composition"
                r"|tune|mixtape)\b[^.;()]{0,60}? <by><N>"
            ),
            r"\b(?:recorded|performed|sung)\b(?: and [a-z-]+)*[^.;()]{0,30}? <by><N>",
            rf"\b(?:[Pp]erformer|[Ss]inger|[Aa]rtist)s? {_OF_IT} <N>",
            rf"\b<A> and <n> {_ALSO}(?:recorded|performed|sang)\b",
            rf"\b<A> {_ALSO}(?:recorded|performed|performs|sang|sings)\b",
            r"<by><N>",
            r"\b<N>(?:'s|’s) (?:[\w-]+ ){0,3}(?:song|single|album|track)\b",
        ),
        "Who is the performer of {}?",
    ),
    Relation(
        "composer",
        Kind.PERSON,
        r"\b(?:compos(?:er|ers|ed)|music (?:by|of|for)|soundtrack)\b",
        (
            r"\b(?:composed|scored)\b[^.;()]{0,40}? <by><N>",
            r"\b(?:[Mm]usic|[Ss]core|[Ss]oundtrack|songs)\b[^.;()]{0,50}? (?:by|from) <s><N>",
            r"\b[Cc]omposers? <s><N>",
            r"\b(?:written|penned|co-written) <by><N>",
            rf"\b[Cc]omposers? {_OF_IT} <N>",
            rf"\b<A> {_ALSO}(?:composed|wrote|scored)\b",
        ),
        "Who is the composer of {}?",
    ),
    Relation(
        "author",
        Kind.PERSON,
        r"\b(?:authors?|writers?|wrote|written|screenwriters?|creators?|created by|creator)\b",
        (
            (
                r"\b(?:[Ww]ritten|[Cc]reated|[Pp]enned|[Aa]uthored|[Cc]o-written)\b(?: and"
                r" [a-z-]+)*[^.;()]{0,20}? <by><N>"
            ),
            (
                r"\b(?:novel|book|play|story|poem|work|essay|memoir|series|manga|comic"
                r"|collection) <by><N>"
            ),
            r"\b(?:[Aa]uthor|[Ww]riter|[Nn]ovelist|[Cc]reator)s? <s><N>",
            r"\b<N>(?:'s|’s) (?:[\w-]+ ){0,3}(?:novel|book|play|story)\b",
            rf"\b(?:[Aa]uthor|[Ww]riter)s? {_OF_IT} <N>",
            rf"\b<A> {_ALSO}(?:wrote|created)\b",
        ),
        "Who is the author of {}?",
    ),
    Relation(
        "producer",
        Kind.PERSON,
        r"\bproduc(?:er|ers|ed)\b",
        (
            r"\b[Pp]roduced\b(?: and [a-z-]+)*[^.;()]{0,20}? <by><N>",
            r"\b[Pp]roducers? <s><N>",
            rf"\b[Pp]roducers? {_OF_IT} <N>",
            rf"\b<A> {_ALSO}produced\b",
        ),
        "Who is the producer of {}?",
    ),
    Relation(
        "founder",
        Kind.PERSON,
        (
            r"\b(?:founders?|founded|co-founded|established|creators?|started) (?:of|by)?\b|\bwho"
            r" (?:founded|established|created|started)\b"
        ),
        (
            (
                r"\b(?:[Ff]ounded|[Ee]stablished|[Cc]reated|[Ss]tarted|[Ff]ormed|[Ll]aunched"
                r"|[Dd]esigned|[Bb]uilt)\b[^.;()]{0,40}? <by><N>"
            ),
            r"\b(?:co-)?[Ff]ounders? <s><N>",
            rf"\b[Ff]ounders? {_OF_IT} <N>",
            r"\b<A> (?:co-)?(?:founded|established|created|started)\b",
        ),
        "Who is the founder of {}?",
    ),
    Relation(
        "spouse",
        Kind.PERSON,
        r"\b(?:wife|husband|spouse|married|marry|consort|wives|partner|widow|widower)\b",
        (
            r"\b(?:[Mm]arried|[Mm]arriage)(?: to| with)? <t><N>",
            (
                r"\b(?:wife|husband|spouse|consort|widow|widower|queen|partner)(?: was| is| of|,|"
                r" named|:)? ?<t><N>"
            ),
            rf"\b(?:wife|husband|spouse|consort) {_OF_IT} <t><N>",
            r"\bwed <t><N>",
            r"\b<N>(?:'s|’s) (?:[\w-]+ )?(?:wife|husband|widow|consort)\b",
            r"\b<N>, (?:his|her) (?:[\w-]+ )?(?:wife|husband)\b",
        ),
        "Who is the spouse of {}?",
    ),
    Relation(
        "mother",
        Kind.PERSON,
        r"\bmothers?\b|\bmum\b",
        (
            r"\b(?:[Mm]other)(?: was| is| named|,|:)+ <t><N>",
            (
                r"\b(?:son|daughter|child|children|born)\b(?: of| to)[^.;()]{0,120}? (?:and|by"
                r"|with) (?:his |her |the )?(?:[\w-]+ ){0,2}?(?:wife|concubine|consort|mistress"
                r"|queen|spouse)(?:,| named)? <t><N>"
            ),
            (
                r"\b(?:son|daughter|child|children)\b (?:of|to|born to)"
                r" <t><n>[^.;()]{0,60}?(?:\([^()]*\))?[^.;()]{0,30}? (?:and|by) <t><N>"
            ),
            r"\bborn to [^.;()]{0,60}? and <t><N>",
            r"\b[Pp]arents\b[^.;()]{0,60}? (?:were|are) <t><n>[^.;()]{0,60}? and <t><N>",
            rf"\b[Mm]other {_OF_IT} <t><N>",
            r"\b<N>,? (?:is|was) (?:the|his|her) mother\b",
            r"\b<N>, (?:his|her) mother\b",
            (
                r"\b(?:by|with) (?:his |her )?(?:[\w-]+ ){0,2}?(?:wife|concubine|consort"
                r"|mistress)(?:,)? <t><N>"
            ),
        ),
        "Who is the mother of {}?",
    ),
    Relation(
        "father",
        Kind.PERSON,
        r"\bfathers?\b|\bdad\b",
        (
            r"\b(?:[Ff]ather)(?: was| is| named|,|:)+ <t><N>",
            r"\b(?:son|daughter|child|children|heir)\b (?:of|to|born to) (?!the )<t><N>",
            r"\b(?:son|daughter|child|children|heir)\b (?:of|to|born to) <t><N>",
            r"\bborn to <t><N>",
            r"\b[Pp]arents\b[^.;()]{0,60}? (?:were|are) <t><N>",
            rf"\b[Ff]ather {_OF_IT} <t><N>",
            r"\b<N>,? (?:is|was) (?:the|his|her) father\b",
            r"\b<N>(?:'s|’s) (?:[\w-]+ ){0,2}(?:son|daughter)\b",
            r"\b<N>, (?:his|her) father\b",
            r"\bsucceeded (?:his|her) father,? <t><N>",
        ),
        "Who is the father of {}?",
    ),
    Relation(
        "child",
        Kind.PERSON,
        r"\b(?:child|children|son|sons|daughter|daughters)\b",
        (
            r"\b(?:[Ff]ather|[Mm]other|[Pp]arent) (?:of|to) <t><N>",
            r"\b(?:sons?|daughters?|child|children)(?: was| is| named|,|:)? <t><N>",
            r"\b<N>, (?:his|her) (?:[\w-]+ )?(?:son|daughter)\b",
        ),
        "Who is the child of {}?",
    ),
    Relation(
        "sibling",
        Kind.PERSON,
        r"\b(?:siblings?|brothers?|sisters?)\b",
        (
            r"\b(?:[Bb]rothers?|[Ss]isters?|[Ss]iblings?)(?: of| to| was| is| named|,|:)? <t><N>",
            r"\b<N>(?:'s|’s) (?:[\w-]+ ){0,2}(?:brother|sister)\b",
        ),
        "Who is the sibling of {}?",
    ),
    Relation(
        "studied at",
        Kind.PLACE,
        (
            r"\b(?:stud(?:y|ied)|educated|graduated?|alma mater|attended?|school|university"
            r"|college|alumn\w+)\b"
        ),
        (
            (
                r"\b(?:[Ee]ducated|[Ss]tudied|[Gg]raduated|[Ee]nrolled|degree"
                r"|alumn\w+)\b[^.;()]{0,50}? (?:at|from|of|in) (?:the )?<N>"
            ),
            r"\b[Aa]ttended (?:the )?<N>",
        ),
        "Where did {} study?",
    ),
    Relation(
        "works at",
        Kind.PLACE,
        (
            r"\b(?:works? (?:at|for)|worked (?:at|for)|employ(?:er|ed|s)|where does\b.*\bwork"
            r"|where did\b.*\bwork|teach(?:es)?)\b"
        ),
        (
            (
                r"\b(?:[Pp]rofessor|[Tt]eaches|[Tt]aught|[Ww]orks|[Ww]orked|[Ll]ecturer"
                r"|[Ff]aculty|[Ii]nstructor|[Ee]mployed|[Ee]ditor|[Ff]ellow)\b[^.;()]{0,50}?"
                r" (?:at|for|of|by) (?:the )?<N>"
            ),
        ),
        "Where does {} work?",
    ),
    Relation(
        "buried at",
        Kind.PLACE,
        r"\b(?:buried|burial|interred|entombed|grave|laid to rest)\b",
        (
            (
                r"\b(?:[Bb]uried|[Ii]nterred|[Ee]ntombed|[Ll]aid to rest|burial)\b[^.;()]{0,30}?"
                r" (?:in|at|within|near) (?:the )?<P>"
            ),
        ),
        "Where was {} buried?",
    ),
    Relation(
        "died of",
        Kind.REASON,
        r"\b(?:cause of death|why did\b.*\bdie|how did\b.*\bdie|died? of|died? from)\b",
        (
            (
                r"\bdied (?:[^.;()]{0,40}? )?(?:of|from) (?:an? |the |complications (?:of|from)"
                r" )?((?:[a-z-]+ ){0,2}[a-z-]+)(?=[,.;)]| in | at | on | and | after | while |$)"
            ),
            (
                r"\b(?:killed|died) (?:in|during) (an? (?:[a-z-]+ ){0,2}(?:accident|crash|fire"
                r"|attack|explosion|battle))\b"
            ),
            (
                r"\b(suicide|tuberculosis|cancer|pneumonia|heart attack|heart failure|stroke"
                r"|leukemia|malaria|cholera|smallpox|plague|influenza|AIDS|diabetes)\b"
            ),
        ),
        "What did {} die of?",
    ),
    Relation(
        "award",
        Kind.THING,
        r"\b(?:awards?|prizes?|medals?|honou?rs?)\b",
        (
            (
                r"\b(?:[Ww]on|[Rr]eceived|[Aa]warded|[Rr]ecipient of|[Ww]inner of|[Hh]onou?red"
                r" with)\b[^.;()]{0,30}? (?:the )?((?:[A-Z][\w'’-]+ )+(?:Award|Prize|Medal|Order"
                r"|Cross|Fellowship)s?(?: (?:of|for) [A-Z]\w+(?: [A-Z]\w+)*)?)"
            ),
        ),
        "What award did {} receive?",
    ),
    Relation(
        "occupation",
        Kind.THING,
        r"\b(?:occupations?|professions?|jobs?|for a living)\b",
        (
            (
                r"\b(?:is|was) (?:an? |the )(?:[A-Z][\w-]+(?: |-))*((?:[a-z-]+ )?[a-z-]*(?:er|or"
                r"|ist|ian|man|woman|ant|eer|ess|poet|king|queen|nurse|judge|artist|coach|chef"
                r"|monk|spy)(?:,? (?:and )?(?:[a-z-]+ )?[a-z-]*(?:er|or|ist|ian|man|ant|eer"
                r"|poet))*)\b"
            ),
        ),
        "What is the occupation of {}?",
    ),
)
BY_NAME = {relation.name: relation for relation in RELATIONS}


def relation_asked(question: str, kind: Kind | None = None) -> Relation | None:
    """The relation that a question of one hop asks for. A question for a date, a place or a person
    has the `kind`, which a relation to another of the three does not answer.
    """
    return next(
        (
            relation
            for relation in RELATIONS
            if (kind in (None, relation.kind) or relation.kind not in _OF_QUESTION_WORDS)
            and relation.asked.search(question)
        ),
        None,
    )
