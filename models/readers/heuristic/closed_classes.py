"""Words of other languages that lean on other sentences, or on who writes and when.

    references  pronouns of the third person, demonstratives, "both": anywhere in a sentence
    openers     possessives and connectives, which lean on what stands before a sentence they open
    times       words whose time depends on when they were written
    speakers    first and second person

A text's language is told by its script or by its `usual` words. Words that mean something else as
often are left out: Danish "er" is "is", Dutch "u" an hour. Japanese and Chinese are written without
spaces: their words are patterns, with what else they are part of.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

# Not the unit of "km/u", the particle of "S24이", the first half of "Notre-Dame".
_WORD = re.compile(r"(?<![\w/])[^\W\d_]+(?![^\W\d_]|-[A-ZÀ-Þ])")
_LETTER = re.compile(r"[^\W\d_]")
_KANA, _HAN = re.compile("[\u3040-\u30fa\u30fc-\u30ff]"), re.compile("[\u3400-\u9fff]")
_HANGUL = re.compile("[\uac00-\ud7af]")
# Less of a script is a name or a quotation.
_OF_SCRIPT = 0.2
# The share of words that are usual ones. Sentences of a language have a third; other languages have
# some by chance.
_OF_USUAL = 0.1
_MARKS = '「『“"（( '

Words = frozenset[str] | re.Pattern[str]


@dataclass(frozen=True, slots=True)
class ClosedClasses:
    """The words of a language, in small letters. Languages that only have usual words are here so
    that they are not taken for their neighbours."""

    code: str
    usual: frozenset[str]
    references: Words
    openers: Words
    times: Words
    speakers: Words


def has_any(text: str, words: Words) -> bool:
    """Whether a text has one of the words."""
    if isinstance(words, re.Pattern):
        return words.search(text) is not None
    return not words.isdisjoint(_words(text))


def opens_with(text: str, words: Words) -> bool:
    """Whether a text opens with one of the words."""
    if isinstance(words, re.Pattern):
        return words.match(text.lstrip(_MARKS)) is not None
    return not words.isdisjoint(_words(text)[:1])


def closed_classes(text: str) -> ClosedClasses | None:
    """The words of a text's language; None for a language without a table."""
    letters = len(_LETTER.findall(text))
    kana, han, hangul = (len(one.findall(text)) for one in (_KANA, _HAN, _HANGUL))
    if max(kana + han, hangul) > _OF_SCRIPT * letters:
        return _LANGUAGES["ko" if hangul > kana + han else "ja" if kana > han / 10 else "zh"]
    words = _words(text)
    usual = {code: sum(map(of.usual.__contains__, words)) for code, of in _LANGUAGES.items()}
    best, second = sorted(usual, key=lambda code: -usual[code])[:2]
    if usual[best] <= max(usual[second], _OF_USUAL * len(words)):
        return None
    return _LANGUAGES[best]


def _words(text: str) -> Sequence[str]:
    """In small letters, without "CE" and "VI"."""
    words = _WORD.findall(text)
    return [word.lower() for word in words if len(word) == 1 or not word.isupper()]


def _of(
    code: str,
    usual: str,
    references: str = "",
    openers: str = "",
    times: str = "",
    speakers: str = "",
    spaced: bool = True,
) -> ClosedClasses:
    def compared(words: str) -> Words:
        return frozenset(words.split()) if spaced else re.compile("|".join(words.split()))

    leaning = [compared(words) for words in (references, openers, times, speakers)]
    return ClosedClasses(code, frozenset(usual.split()), *leaning)


# "nordic" is Swedish, Danish and Norwegian.
_TABLES = (
    _of(
        "de",
        "der die das und ist in den von zu mit sich des auf für nicht ein eine als auch an "
        "werden aus hat dass nach wird bei einer um am sind noch wie einem über einen so "
        "zum war oder wurde im dem durch kann",
        "er sie ihn ihm ihnen dieser diese dieses diesem diesen jener jene jenes jenem "
        "jenen dies solche solcher solches beide beiden derselbe dieselbe dasselbe dafür "
        "dagegen daran darauf daraus darin darüber davon dazu dabei dadurch letztere "
        "letzterer ersterer hierzu hierbei hier dort ebenfalls",
        "es seine seiner sein ihre ihrer ihr andere aber denn doch deshalb daher darum dann "
        "danach dennoch außerdem zudem allerdings jedoch also somit folglich trotzdem "
        "hingegen stattdessen und oder so auch schließlich ferner ebenso insbesondere "
        "weiter weiterhin da damit",
        "heute gestern jetzt derzeit aktuell bisher bislang kürzlich neulich bald demnächst "
        "künftig nun mittlerweile inzwischen",
        "ich mich mir mein meine meinem meinen wir uns unser unsere unserem unseren unserer "
        "unseres du dich dir dein deine deinen deiner euch euer eure",
    ),
    _of(
        "fr",
        "le la les de des du un une et est en que qui dans pour pas sur au aux avec par "
        "plus sont ce à l d s qu se ne ou été",
        "elle ils elles lui ce cet cette ces celui celle ceux celles cela ça ceci tel telle "
        "tels telles ici",
        "son sa ses leurs autre autres mais donc car ainsi alors ensuite puis enfin "
        "cependant toutefois pourtant néanmoins aussi et or là bref voici voilà parce leur",
        "aujourd hier demain maintenant actuellement récemment bientôt désormais",
        "je j me moi mon ma mes nous notre nos vous votre vos tu te toi ton ta tes",
    ),
    _of(
        "es",
        "el la los las de del y en que un una es se por con para no su al lo como más o fue "
        "son ha sus sobre entre está",
        "él ella ellos ellas ello esta esto estos estas ese esa eso esos esas aquel aquella "
        "aquello aquellos aquellas tal tales ambos ambas dicho dicha dichos dichas aquí "
        "allí ahí",
        "su sus otro otra otros otras mismo misma pero pues así entonces luego además "
        "también sin aunque finalmente después asimismo y mientras este",
        "hoy ayer ahora actualmente recientemente pronto últimamente",
        "yo me mi mis mí nosotros nos nuestro nuestra nuestros nuestras tú te tu tus ti "
        "usted ustedes vosotros os vuestro vuestra",
    ),
    _of(
        "pt",
        "o a os as de do da dos das e em que um uma é se por com para não no na ao mais foi "
        "são sua seu como pelo pela também ou",
        "ele ela eles elas este esta isto estes estas esse essa isso esses essas aquele "
        "aquela aquilo aqueles aquelas dele dela deles delas tal ambos ambas aqui ali lá "
        "deste desta destes destas disto disso neste nesta nestes nestas nisto nisso desse "
        "dessa desses dessas nesse nessa nesses nessas naquele naquela daquele daquela "
        "daqueles daquelas nele nela",
        "seu sua seus suas outro outra outros outras mesmo mesma mas pois assim então "
        "depois além também porém contudo entretanto portanto e finalmente",
        "hoje ontem amanhã agora atualmente recentemente",
        "eu me mim meu minha meus minhas nós nosso nossa nossos nossas você vocês te teu "
        "tua",
    ),
    _of(
        "it",
        "il lo la i gli le di del della dei delle e in che un una è si per con non da dal "
        "dalla nel nella al alla sono come più anche o ha",
        "egli ella esso essa essi esse lui lei loro questo questa questi queste quello "
        "quella quelli quelle ciò tale tali entrambi entrambe qui lì là ne",
        "suo sua suoi sue altro altra altri altre stesso stessa ma quindi dunque così "
        "allora poi inoltre infatti tuttavia però anche e infine perciò invece dopo",
        "oggi ieri domani adesso attualmente recentemente",
        "io mi me mio mia miei mie noi nostro nostra nostri nostre tu ti te tuo tua tuoi "
        "voi vostro vostra vostri vostre",
    ),
    _of(
        "nl",
        "de het een en van in is op te dat die voor met zijn aan niet er om ook als bij "
        "door naar uit wordt werd was of heeft",
        "hij zij ze haar hen deze dit zulke zulk beide beiden daarvan daarmee daarin daarop "
        "hiermee hiervan ervan erin erop dergelijke hier daar",
        "die zijn hun dat andere maar dus want toch daarom dan daarna bovendien ook echter "
        "en of zo verder tenslotte vervolgens",
        "vandaag gisteren morgen nu momenteel onlangs binnenkort",
        "ik me mij wij we ons onze jij je jou jouw jullie uw",
    ),
    _of(
        "nordic",
        "och att det som på är av för med den till en ett og ikke ikkje til er et var har "
        "inte från fra ble blev",
        "han hon hun dem dessa denna detta disse denne dette sådan sådana slike slik båda "
        "begge där här her",
        "hans hennes deras deres sin men så då da därför derfor därefter deretter också "
        "også dessutom dessuten och og",
        "idag igår imorgon nu nå nylig nyligen snart",
        "jag jeg mig meg mitt mina vi oss vår vårt våra vores du dig deg din ditt dina",
    ),
    _of(
        "pl",
        "i w na z do się nie jest to że o jak od po za przez dla oraz ale był była było są "
        "który która które",
        "on ona ono oni one jemu ją ten ta te tego tej tym tych temu tamten tamta taki taka "
        "takie oba obie obu tutaj tu tam nich niego niej nim nimi go wtedy wówczas tę",
        "to jego jej ich inny inna inne ale więc zatem jednak potem następnie ponadto także "
        "też a dlatego natomiast zaś",
        "dziś dzisiaj wczoraj jutro teraz obecnie niedawno wkrótce",
        "ja mnie mi mój moja moje my nas nam nasz nasza nasze ty ciebie ci twój twoja wy "
        "was wam wasz",
    ),
    _of(
        "ru",
        "и в на с не что как по из к у за от о для это был была было были при так также "
        "который которая до же",
        "он она оно они ему ей них этот эта это эти этого этой этих этом этим этому этими "
        "той тех тому такой такая такое такие таких оба обе данный данная здесь там тут",
        "его её ее их тот та то те сам сама сюда другие другой остальные но а и поэтому "
        "затем потом однако также кроме тоже так при итак тогда зато впрочем",
        "сегодня вчера завтра сейчас теперь недавно скоро ныне пока",
        "я меня мне мой моя моё мои мы нас нам наш наша наше наши ты тебя тебе твой твоя вы "
        "вас вам ваш ваша ваше ваши",
    ),
    _of(
        "tr",
        "ve bir bu da de için ile çok olarak daha gibi en olan ise kadar sonra her",
        "şu onlar bunlar şunlar onun bunun şunun onların bunların onu bunu ona buna orada "
        "burada böyle öyle onlardan bundan ondan buradan oradan bunlardan",
        "o bu diğer aynı ama fakat ancak çünkü böylece sonra ayrıca ve yine oysa "
        "dolayısıyla üstelik meğer",
        "bugün dün yarın şimdi artık geçenlerde yakında bugünkü önümüzdeki",
        "ben beni bana benim biz bizi bize bizim sen seni sana senin siz sizi size sizin",
    ),
    _of(
        "id",
        "yang dan di dari untuk dengan ini itu pada adalah tidak dalam akan ke oleh juga "
        "atau karena sebagai telah para",
        "ia dia mereka ini itu tersebut tsb beliau tadi demikian begitu keduanya lainnya "
        "inilah itulah sini situ",
        "tetapi tapi namun maka sehingga kemudian lalu selain juga dan jadi karena "
        "sedangkan bahkan sebaliknya nah cuma",
        "sekarang kini kemarin besok",
        "saya aku kami kita kamu anda engkau kalian jangan mari perhatikan",
    ),
    _of(
        "ko",
        "",
        "이것 그것 저것 이것은 그것은 이는 그는 그녀 그녀는 그들 그들은 이들 이들은 "
        "이런 그런 저런 이러한 그러한 해당 이번 양측 여기 거기 여기에 이 그 저 그건 "
        "이건 이게 그게 그중 당시",
        "하지만 그러나 그리고 또한 또 그래서 따라서 그런데 그러니 즉 한편 다만 이에 "
        "물론 게다가",
        "오늘 어제 내일 지금 현재 최근 이제 이제는 올해 작년 지난 요즘 지난해 내년 "
        "다음 이번에",
        "나는 내가 나의 저는 제가 우리 우리는 저희 당신 여러분",
    ),
    _of(
        "ja",
        "",
        "それ(?!ぞれ) これ (?<![でけせてねべめれが])あれ(?!ば) この その あの "
        "ここ そこ そんな こんな 彼女 彼ら 彼は 彼が 両者 こちら そちら 今回 上記 "
        r"下記 (?<![歳\d])以下 同じ 当時 中でも",
        "しかし また そして さらに そのため だから つまり ただし なお ところが 次に "
        "一方 では 例えば まず でも",
        "今日 昨日 明日 今年 昨年 去年 先日 最近 現在 今後 先月 今月 来月 来年 翌日",
        "私(?![立鉄]) 僕 俺 我々 弊社 当社 当店 自分は あなた 皆さん みなさん "
        "ください ましょう と思い",
        spaced=False,
    ),
    _of(
        "zh",
        "",
        "这 那(?!不勒斯|霸) 它 (?<![其吉])他 她 此 (?<![应應])该 這 "
        "(?<![应應])該 两者 兩者 当时 當時",
        "但(?![丁泽]) 而 因此 所以 然后 然後 另外 同时 同時 于是 於是 不过 不過 "
        "并 也(?!门) 其",
        "今天 昨天 明天 现在 現在 目前 今年 去年 最近 近日 近期",
        "我 你 您 咱 本人",
        spaced=False,
    ),
    _of(
        "cs",
        "a v se na je že s z do o k i to by jako za od po které který která byl byla bylo "
        "jsou ale při pro podle také ze není",
    ),
    _of(
        "uk",
        "і в на з що не до та як для від за це був була було були який яка які його її є "
        "також після або",
    ),
    _of(
        "ro",
        "și în de la cu pe din este o un care nu mai pentru prin sunt al ale a fost se ca "
        "sau după fi lui",
    ),
    _of(
        "hu",
        "a az és hogy nem is egy van volt meg mint de csak már ezt azt vagy ki el még volt "
        "lesz által",
    ),
    _of(
        "fi",
        "ja on ei se oli että kun mutta myös joka hän ovat tai kuin niin jossa sekä sen "
        "olivat mukaan",
    ),
)  # fmt: skip
_LANGUAGES = {one.code: one for one in _TABLES}
