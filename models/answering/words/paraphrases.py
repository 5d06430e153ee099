"""Words of questions, and the words that the sentences of pages use instead of them.

"In which year was the hall erected?"   pages say "built", "constructed", "put up"
"Who is the boss of the ferry?"         pages say "led", "director"

What stands left of a colon is asked for by the words on its right. Where there is no colon, each
word may stand for each other. Commas part them, since some are phrases. "who|runs" is "runs" behind
"who".

A question is asked anew with these words; the headers of tables have others (`header_words`), and
`events` tells which words state the same event, whatever was asked.
"""

from __future__ import annotations

import re
from functools import cache

_PARAPHRASES = """
built, erected, constructed, put up
founded, established, set up, instituted, brought into being, started up: started
closed, shut, shut down, closed down
demolished, pulled down, torn down, knocked down, razed, dismantled
bought, purchased, acquired
moved, relocated, transferred
widened, enlarged, extended, expanded
repaired, restored, renovated, refurbished, mended
invented, devised, came up with, thought up, had the idea of, whose idea: created, developed
discovered, spotted, came across: found
began, started, commenced
ended, finished, concluded
rescued, saved
injured, hurt, wounded
drowned, perished, lost their lives, killed: died, drowned
sank, went down, foundered
wrecked, ran aground, stranded: struck, sank
stolen, taken away
given, donated, presented, bequeathed: gave, gift
received, awarded: given, awarded, received
succeeded, replaced, took over from, followed
retired, stepped down, resigned
hired, taken on, recruited: employed
buried, laid to rest, interred
wed, married
paid for, funded, financed, sponsored
carved, sculpted
wrote, penned, authored: author, written
designed, architect, designer, drew up, planned, engineer
built by, builder
owns, owner, proprietor, belongs
belong to, belonged to: owned by
boss, in charge, who|leads, who|runs, who|heads, who|led, the|head, the|chief: led, director, \
managing director, manager, headed, run, warden, chairman, chairwoman, president
coach, coaches, coached, trainer, trains: managed, manager, coached
manager: coach, managed
director: led
looks after, takes care of: inspects, maintains, cares
job, occupation, profession, trade
wage, salary, pay, earn, earned: pay, paid, wage, salary
people work, persons work, staff, workforce, employees: employees, staff, employs, employed, \
workers
people live, people lived, residents, population, inhabitants, live there: inhabitants, \
population, people, residents
pupils, schoolchildren, go to school, students: pupils, students, children
kids: children
grown-up, grown-ups: adult, adults
pensioner, pensioners, elderly: senior, seniors
spectators, crowd, attendance, onlookers: spectators, attendance, crowd, people
record crowd, biggest crowd, record attendance: highest attendance
guests, visitors, tourists: visitors, guests
goalscorer, scorer, marksman: scorer, scored
top scorer, top goalscorer, leading scorer, leading goalscorer: best scorer
relegated, demoted
stadium, pitch: ground
badge, crest, emblem, logo
jersey, kit, strip: shirt, shirts
trophy, prize, award: cup, medal, prize, trophy, award
lifted, clinched: won
defeated: beat
fit into, fit in, fit, accommodate, have room for, room for, space for: holds, seats, \
capacity, admitted, carries, sleeps
locomotive, locomotives: engine, engines
automobile: car
bike, bikes: bicycle, bicycles, cycles
bicycle: bike, cycle
lorry, lorries, truck, trucks
trip, journey, crossing, voyage, ride, travel
set off, depart: leaves, departs
autobiography, memoirs, memoir
picture, painting, canvas
photo, photos, photographs, pictures: photographs
artist: painter
motto, slogan
staircase, stairs, steps
storm, gale
fire, blaze
rainfall, precipitation: rain
physician, doctor
sailors, crew, seamen, mariners
pub, inn, tavern
wife, husband, spouse: married
sister town, twin town, twinned, partner town: twinned
famous, renowned, celebrated, well known: known
made of, made from, built of: material, built of, consists of
ripen, mature: aged, ripens
how|strong: alcohol
road, street
rubbish, litter, waste
luggage, baggage
money back: refund
fee, charge, price, admission: cost, price, ticket, fee
how|expensive: cost, price
toilet, toilets, restroom, lavatory
elevator: lift
footpath, trail: path
cattle: cows
power, electricity
web, internet, online
automatic: automated
yearly, annually, each year: every year, annual, per year
largest, biggest
fewest, least
banned, forbidden, prohibited
borrow: lend, lends
let in: come in, admitted
permitted, allowed
nickname: called
source: rises, comes from
flows into, runs into, empties into: joined, enters
drivers, motorists: car, cars
umbrella, umbrellas, brolly, brollies
torch, torches, flashlight, flashlights
chimney, smokestack
fog, mist
dish, antenna, aerial
lamps, lanterns
seaweed: kelp
runners, contestants, competitors, racers, participants
contestant, competitor, racer: runner
lug, drag, haul, carry
cleared, took away, taken out: removed
crafted, fashioned: made
installed, fitted, put in
displayed, exhibited, on show, on display
called off, cancelled
overcast: cloudy
quickest, speediest: fastest
costliest, dearest, priciest: most expensive
maximum speed: top speed
goods, cargo, freight
peak, summit
mouth, estuary
supporters, fans
fixture, fixtures: match, matches
fundraising, raised, collected
feeds, enough for: serves
smell, odour, scent
cookie, cookies: biscuit, biscuits
leash: lead
prams, buggies, strollers: pushchairs
granny: grandmother
named for, called after: named after
trained, studied
welcomed its first, let in its first, let in the public: opened
welcome its first visitors, let in the public for the first time: opened to the public, opened
stuck, stranded
contaminated, polluted: poisoned
foundered, capsized: sank
reappeared, came back: returned
come back, reappear: returned, return
vanished, died out: last
snow, snowfall
foggy: fog
deserted, abandoned
huts, cabins
meadow, field
fortress, castle
bell-ringers: bells
landlady, landlord, innkeeper
grain, corn
baker, pastry cook
shipyard, yard
raw material: made of, made from
label, brand: name
spend the night, stay overnight: sleep, night
neighbourhood, quarter, district
quit, gave up: given up, gave up
injury: broken
sacked, dismissed
vote, ballot
fare: ticket
discount, reduction
buy: sold
headquarters, head office, based: headquarters, head office, based, seat
located, situated: lies, stands, located, situated
produced, manufactured: made, produced, makes, produces, manufactured
grown, cultivated, farmed
opening times: opening hours
grave, tomb: buried, grave
graveyard, cemetery, churchyard
victims, casualties, deaths: died, killed, drowned
skipper: captain, master
flats, apartments
film, movie
shop, store
pharmacy, chemist
plane, aircraft, aeroplane, airplane
priest, vicar, parson, pastor, rector
teacher, schoolteacher, schoolmaster, schoolmistress
policeman, constable, police officer
thief, burglar, robber: stole, stolen
altitude, elevation: above sea level, height
steeple, spire, church tower
winner, winners: won, champion
"""


def _others() -> dict[str, tuple[str, ...]]:
    """What pages may say for the words that are asked with."""
    found: dict[str, list[str]] = {}
    for line in filter(None, _PARAPHRASES.splitlines()):
        asked, colon, said = line.partition(":")
        words = _listed(asked)
        for word in words:
            others = _listed(said) if colon else words
            found.setdefault(word, []).extend(one for one in others if one != word)
    return {
        word: tuple(dict.fromkeys(_without_condition(one) for one in others))
        for word, others in found.items()
    }


@cache
def _pattern_and_others() -> tuple[re.Pattern[str], dict[str, tuple[str, ...]]]:
    """A pattern of all words that are asked with, longest first, and what pages may say for what it
    matches. One pattern, because each question is searched.
    """
    others = _others()
    ordered = sorted(others, key=lambda word: -len(word))
    by_match = {_without_condition(word): others[word] for word in ordered}
    words = "|".join(map(_pattern, ordered))
    return re.compile(rf"(?<![\w-])(?:{words})(?![\w-])"), by_match


def _pattern(word: str) -> str:
    behind, _, said = word.rpartition("|")
    condition = rf"(?<=\b(?i:{behind})\s)" if behind else ""
    return condition + re.escape(said)


def _without_condition(word: str) -> str:
    return word.rpartition("|")[2]


def _listed(words: str) -> list[str]:
    return [word.strip() for word in words.split(",") if word.strip()]


def paraphrases_of(question: str) -> list[tuple[int, int, tuple[str, ...]]]:
    """The words of a question that pages may say otherwise: where they stand, and what pages may
    say. They do not overlap; names are not among them.
    """
    pattern, others = _pattern_and_others()
    return [
        (match.start(), match.end(), others[match.group()]) for match in pattern.finditer(question)
    ]
