"""Verbs of English and their forms: which words may be a verb with a tense.

Many of them are nouns as well, so a word tells only together with its neighbours
(`finite_plain_verb`).
"""

from __future__ import annotations

from collections.abc import Sequence

from factmill.models.readers.heuristic.lexicon import (
    ARTICLES,
    AUXILIARIES,
    DETERMINERS,
    PRONOUNS,
    SUBORDINATORS,
    Word,
    is_adverb,
    is_preposition,
)

_BASES = (
    "abandon abolish absorb accept accommodate accompany account accumulate accuse achieve "
    "acknowledge acquire act adapt add address adhere adjust administer admit adopt advance "
    "advertise advise advocate affect age agree aid aim alert align allege allocate allow "
    "alter amount analyse analyze announce anticipate apologise apologize appeal appear apply "
    "appoint appreciate approach approve argue arise arrange arrest arrive ask assemble "
    "assert assess assign assist associate assume attach attack attain attempt attend attract "
    "attribute authorise authorize automate avoid await award back bake balance ban base bear "
    "beat become beg begin behave believe belong bend benefit bind blame blend block bloom "
    "blow boast boil bond book boost border bounce break breathe breed bring broadcast build "
    "bully burn bury buy call campaign cancel captain capture care carry carve cast catch "
    "cater cause cease celebrate challenge champion change charge chart chase choose cite "
    "claim clarify classify clean clear climb cling close coach coin collaborate collapse "
    "collect combine come command commemorate commence comment commission commit communicate "
    "compare compete compile complain complete comply compose comprise compute conceal "
    "conceive concentrate concern conclude condemn conduct configure confirm confront connect "
    "conquer consider consist constitute construct consult consume contain contend continue "
    "contract contradict contrast contribute control convene convert convey convict convince "
    "cook cool cooperate coordinate cope correlate correspond cost count cover crash create "
    "criticise criticize cross cultivate cure customise customize cut damage dance date deal "
    "debug debut decide declare decline decorate decrease dedicate defeat defend define defy "
    "delay delegate deliver demand demonstrate denote deny depart depend depict deploy derive "
    "descend describe deserve design designate desire destroy detail detect deteriorate "
    "determine develop deviate devise devote diagnose dictate die differ dig diminish direct "
    "disagree disappear discharge discontinue discover discuss disperse display dispute "
    "disrupt dissolve distinguish distribute disturb dive divide divorce document dominate "
    "donate double doubt draft drain draw dream dress drift drink drive drop dry dump earn "
    "ease eat edit educate elect elevate eliminate embark embrace emerge emigrate emit "
    "emphasise emphasize employ empower enable enact encompass encounter encourage end "
    "endorse endure enforce engage enhance enjoy enlist enrich enrol enroll ensue ensure "
    "entail enter entertain entitle equal equip erect erupt escape establish estimate "
    "evacuate evaluate evolve examine exceed excel exchange execute exercise exert exhibit "
    "exist exit expand expect experience experiment explain explode exploit explore export "
    "expose express extend extract face facilitate fail fall farm favor favour fear feature "
    "feed feel fetch fight figure file fill film finance find finish fire fit fix flank flee "
    "float flood flourish flow fluctuate fly focus fold follow forbid force forecast forge "
    "forget forgive form found free freeze frequent fuel fulfil fulfill function fund fuse "
    "gain gather generate get give glow go govern grab graduate grant grasp greet grind grip "
    "gross grow guarantee guard guess guest guide halt handle hang happen harbor harm harvest "
    "hate haul head heal hear heat help hide highlight hint hire hit hold honor honour host "
    "house hunt identify ignore illustrate imagine immigrate impact implement imply import "
    "impose impress imprison improve include incorporate increase incur indicate induce "
    "infect infer inflict influence inform inhabit inherit inhibit initiate injure innovate "
    "inquire insert insist inspect inspire install instruct integrate intend intensify "
    "interact interfere interpret intersect intervene interview introduce invade invent "
    "invest investigate invite invoke involve isolate issue join judge jump justify keep kick "
    "kill kiss knit knock know label lack land last laugh launch lay lead lean learn leave "
    "lecture lend leverage lie lift light like limit line link list listen live load loan "
    "lobby locate lock look lose love lower maintain make manage manifest manipulate "
    "manufacture march mark market marry master match mate matter mature maximise maximize "
    "mean measure meet melt memorise memorize mention merge migrate mind mine minimise "
    "minimize mirror miss mix model modify monetize monitor mount move multiply murder name "
    "narrate narrow navigate near necessitate need negotiate nest nominate note notice number "
    "obey object oblige observe obtain occupy occur offend offer open operate oppose optimise "
    "optimize orbit order organise organize orient originate oust outline outnumber overcome "
    "overlap overlook oversee overthrow overturn owe own pack paint park part participate "
    "pass patrol pay peak perceive perform permit persist personalise personalize persuade "
    "pertain pilot pioneer place plan plant play plead point pollinate populate portray pose "
    "position possess post postpone pour power practice practise praise pray preach precede "
    "predict prefer prepare prescribe present preserve preside press presume prevail prevent "
    "prey prioritise prioritize proceed process proclaim produce profit progress prohibit "
    "project promise promote prompt pronounce propagate propel propose prosecute protect "
    "protest prove provide provoke publish pull pump punish purchase pursue push put qualify "
    "question quit quote race raise range rank rate reach react read realise realize rebel "
    "rebuild recall receive recite reclaim recognise recognize recommend reconcile record "
    "recover recruit recur reduce refer reflect reform refuse regain regard register regulate "
    "reign reinforce reject relate relax release rely remain remember remind remove renew "
    "renounce rent repair repeat replace replicate reply report represent reproduce request "
    "require rescue research resemble reserve reside resign resist resolve respond rest "
    "restore restrict result resume retain retire retreat retrieve return reunite reveal "
    "reverse revert review revise revive revolt revolve reward ride ring rise risk rival roam "
    "rob rock roll rotate rule run rush sail satisfy save say scatter schedule score seal "
    "search secede secure see seek seem seize select sell send sense separate serve set "
    "settle shape share shed shelter shift shine ship shoot show shrink shut sign signal "
    "signify simplify simulate sing sink sit slide slow smell smile smoke smooth soar solve "
    "sound span spark spawn speak specialise specialize specify speculate spell spend spin "
    "split sponsor spot spread spring stabilise stabilize staff stage stand star start state "
    "stay steal steer stem stick stimulate stipulate stop store streamline strengthen stress "
    "stretch strike strip strive struggle study style submit subscribe substitute succeed "
    "suffer suggest suit sum summarise summarize supervise supplement supply support suppose "
    "suppress surge surpass surrender surround survey survive suspect suspend sustain swallow "
    "swear sweep swim swing switch symbolise symbolize tackle take talk target taste teach "
    "team tear tell tend term terminate test testify thank think thrive throw tie title top "
    "total touch tour trace track trade train transfer transform translate transmit transport "
    "travel traverse treat trigger triple triumph trouble trust try tune turn type undergo "
    "undermine understand undertake unify unite unlock unveil update upgrade uphold urge use "
    "utilise utilize value vanish vary venture verify view violate visit voice volunteer vote "
    "vow wage wait walk want warm warn wash watch weaken wear weave weigh welcome widen win "
    "wish withdraw withstand witness wonder work worry worship wrap write yield "
).split()
# Past tenses that the ending does not tell and that no lexicon of clauses has.
_IRREGULAR = frozenset(
    "beat bent bit bred broadcast burst cast caught cost crept cut dealt dug fed fell fled flung "
    "forbade forgot froze ground hit hung hurt kept knelt knit lent let lit meant overcame "
    "overthrew paid quit ran rang read rid rode said sank sat sent set shed shone shot shook "
    "shrank shut sank slept slid sold sought spent split spread sprang stole strove stuck struck "
    "sung swept swore swung thrust tore understood undertook upheld withdrew withstood woke won "
    "wore wove wept".split()
)


def _third_person(base: str) -> str:
    if base.endswith(("s", "x", "z", "ch", "sh", "o")):
        return base + "es"
    if base.endswith("y") and base[-2] not in "aeou":
        return base[:-1] + "ies"
    return base + "s"


# Forms that are not nouns, so that they need no plural before them: "animals at the lake include".
_NEVER_NOUNS = frozenset(
    "include consist comprise involve contain become seem remain belong differ occur exist depend "
    "provide require receive appear believe agree arise".split()
)
# Adjectives, adverbs and prepositions that look like verbs.
_NO_VERBS = frozenset(
    "like near back own clear open close free slow warm cool dry lower complete total equal "
    "separate mature lean present last double secure correct better mean kind subject key part "
    "express direct perfect name".split()
)
_PLURAL_FORMS = frozenset(_BASES) - _NO_VERBS
_SINGULAR_FORMS = frozenset(map(_third_person, _BASES)) - {"thanks"}
# Plural nouns that do not end in -s.
_PLURALS = frozenset(
    "people men women children police media data both species they many most".split()
)
_NO_SUBJECT = DETERMINERS | frozenset("to and or but not of than as".split())


def is_singular_verb(low: str) -> bool:
    """Whether a word in lower case may be a verb of the third person: "supports"."""
    return low in _SINGULAR_FORMS


def finite_plain_verb(words: Sequence[Word], index: int) -> bool:
    """Whether the word is a verb with a tense by its form and its neighbours: "camels take their
    name", "it closes on Mondays", "Lund qualified for the final"."""
    word = words[index]
    if index == 0 or word.capital or not word.free or index + 1 == len(words):
        return False
    subject = index - 1
    while subject > 0 and is_adverb(words[subject]):
        subject -= 1
    before = words[subject]
    if before.comma and not any(earlier.comma for earlier in words[:subject]):
        return False
    if (before.low in _NO_SUBJECT and before.low not in _PLURALS) or is_preposition(before):
        return False
    if word.comma:
        return False
    following = words[index + 1]
    if word.low in _SINGULAR_FORMS:
        within = index > 1 and is_preposition(words[index - 2]) and not before.capital
        if within:  # "from toll-free numbers to"
            return following.low in DETERMINERS - {"such"} | {"that", "it", "him", "them"}
        return not _is_plural(before) and _may_follow(following)
    if word.low in _PLURAL_FORMS:
        plural = _is_plural(before) or (word.low in _NEVER_NOUNS and before.low != "to")
        plural = plural or _ends_joint_names(words, subject)
        return plural and _may_follow(following)
    if word.low in _IRREGULAR:
        return _may_follow(following) and following.low != "by"
    return _is_past(word) and _is_no_participle(words, index)


def asks_to_do(words: Sequence[Word]) -> bool:
    """Whether a sentence begins with a verb and no subject: "Deliver rich content and measure",
    "Building models"; not "Research shows", "Water quality is"."""
    first = words[0].low.rsplit("-", 1)[-1]
    if first not in _PLURAL_FORMS or len(words) < 3 or words[0].comma:
        return False
    if any(word.low in AUXILIARIES for word in words[1:4]):
        return False
    second = words[1]
    return not (second.low in _SINGULAR_FORMS or second.low in _IRREGULAR or _is_past(second))


def _is_plural(word: Word) -> bool:
    return word.low in _PLURALS or (
        word.low.endswith("s") and not word.low.endswith(("ss", "us", "is", "'s", "’s"))
    )


def _ends_joint_names(words: Sequence[Word], last: int) -> bool:
    """Whether the word ends names that "and" joins: "Oslo, Bergen and Sri Lanka"."""
    first = last
    while first > 0 and words[first].capital:
        first -= 1
    return 0 < first < last and words[first].low == "and" and words[first - 1].capital


def _may_follow(following: Word) -> bool:
    """Whether a word may stand behind a verb, and seldom stands behind a noun."""
    return (
        following.low in DETERMINERS
        or following.low in {"to", "that", "it", "him", "them", "up", "out", "off", "down", "not"}
        or following.capital
        or is_adverb(following)
        or is_preposition(following)
        or following.low[0].isdigit()
        or following.low.endswith(("s", "ing", "ed", "al", "ive", "ous", "ic"))
    )


def _is_past(word: Word) -> bool:
    low = word.low
    if not low.endswith("ed") or len(low) < 5:
        return False
    return (
        low[:-2] in _PLURAL_FORMS
        or low[:-1] in _PLURAL_FORMS
        or low[:-3] in _PLURAL_FORMS
        or low[:-3] + "y" in _PLURAL_FORMS
    )


def _is_no_participle(words: Sequence[Word], index: int) -> bool:
    """ "Lund qualified for", "critics praised his", not "a house built in" or "used by"."""
    before, following = words[index - 1], words[index + 1]
    if before.low.endswith(("'s", "’s")):
        return False
    if following.low == "by" or following.low in SUBORDINATORS - {"that", "when", "after"}:
        return following.low in {"that", "when", "after"}
    if following.low in ARTICLES or following.capital or following.low in {"that", "it", "him"}:
        return True
    if _is_plural(following) and not (is_preposition(following) or is_adverb(following)):
        return True  # an object, and what stands before it is not an article
    # A participle behind a noun with an article tells which one: "the town founded in 1048".
    if any(word.low in {"a", "an", "the"} for word in words[max(0, index - 4) : index]):
        return False
    if following.low in DETERMINERS or before.low in PRONOUNS:
        return True
    # "Lund qualified for", not "teams suited for", "Rhodium plated silver"
    followed = is_preposition(following) and following.low != "to"
    return before.capital and (index > 1 or followed)
