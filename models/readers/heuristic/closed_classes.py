"""Words of other languages that lean on other sentences, or on who writes and when.

    references  pronouns of the third person, demonstratives, "both": anywhere in a sentence
    openers     possessives and connectives, which lean on what stands before a sentence they open
    times       words whose time depends on when they were written
    speakers    first and second person

A text's language is told by its script or by its `usual` words. Japanese and Chinese, which are
written without spaces, are compared by parts of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_WORD = re.compile(r"[^\W\d_]+")
_KANA, _HAN = re.compile("[\u3040-\u30ff]"), re.compile("[\u3400-\u9fff]")
_HANGUL = re.compile("[\uac00-\ud7af]")
_FEWEST_USUAL = 2
_MARKS = '「『“"（( '


@dataclass(frozen=True, slots=True)
class ClosedClasses:
    """The words of a language, in small letters."""

    usual: frozenset[str]
    references: frozenset[str]
    openers: frozenset[str]
    times: frozenset[str]
    speakers: frozenset[str]
    spaced: bool = True

    def has(self, text: str, words: frozenset[str]) -> bool:
        """Whether a text has one of `words`."""
        if self.spaced:
            return not words.isdisjoint(_words(text))
        return any(word in text for word in words)

    def opens(self, text: str, words: frozenset[str]) -> bool:
        """Whether a text opens with one of `words`."""
        if self.spaced:
            return next(_words(text), "") in words
        return text.lstrip(_MARKS).startswith(tuple(words))


def closed_classes(text: str) -> ClosedClasses | None:
    """The words of a text's language; None for a language without a table."""
    for letters, language in ((_KANA, "ja"), (_HANGUL, "ko"), (_HAN, "zh")):
        if letters.search(text):
            return _LANGUAGES[language]
    words = list(_words(text))
    best = max(_LANGUAGES.values(), key=lambda of: sum(map(of.usual.__contains__, words)))
    return best if sum(map(best.usual.__contains__, words)) >= _FEWEST_USUAL else None


def _words(text: str) -> Iterator[str]:
    return (match.group().lower() for match in _WORD.finditer(text))


def _of(
    usual: str, references: str, openers: str, times: str, speakers: str, spaced: bool = True
) -> ClosedClasses:
    words = [frozenset(part.split()) for part in (usual, references, openers, times, speakers)]
    return ClosedClasses(words[0], words[1], words[2], words[3], words[4], spaced)


# Swedish, Danish and Norwegian share a table.
_LANGUAGES = {
    "de": _of(
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
        "heute gestern morgen jetzt derzeit aktuell bisher bislang kürzlich neulich bald "
        "demnächst künftig nun mittlerweile inzwischen",
        "ich mich mir mein meine meinem meinen wir uns unser unsere unserem unseren unserer "
        "unseres du dich dir dein deine deinen deiner euch euer eure",
    ),
    "fr": _of(
        "le la les de des du un une et est en que qui dans pour pas sur au aux avec par "
        "plus sont ce à l d s qu se ne ou été",
        "elle ils elles lui leur ce cet cette ces celui celle ceux celles cela ça ceci tel "
        "telle tels telles derniers dernière ici",
        "son sa ses leurs autre autres d mais donc car ainsi alors ensuite puis enfin "
        "cependant toutefois pourtant néanmoins aussi et or là bref voici voilà parce plus "
        "moins",
        "aujourd hier demain maintenant actuellement récemment bientôt désormais",
        "je j me moi mon ma mes nous notre nos vous votre vos tu te toi ton ta tes",
    ),
    "es": _of(
        "el la los las de del y en que un una es se por con para no su al lo como más o fue "
        "son ha sus sobre entre está",
        "él ella ellos ellas ello este esta esto estos estas ese esa eso esos esas aquel "
        "aquella aquello aquellos aquellas tal tales ambos ambas dicho dicha dichos dichas "
        "aquí allí ahí",
        "su sus yo otro otra otros otras mismo misma pero pues así entonces luego además "
        "también sin aunque finalmente después asimismo y mientras",
        "hoy ayer mañana ahora actualmente recientemente pronto últimamente",
        "yo me mi mis mí nosotros nos nuestro nuestra nuestros nuestras tú te tu tus ti "
        "usted ustedes vosotros os vuestro vuestra",
    ),
    "pt": _of(
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
        "eu me mim meu minha meus minhas nós nos nosso nossa nossos nossas você vocês te teu tua",
    ),
    "it": _of(
        "il lo la i gli le di del della dei delle e in che un una è si per con non da dal "
        "dalla nel nella al alla sono come più anche o ha",
        "egli ella esso essa essi esse lui lei loro questo questa questi queste quello "
        "quella quelli quelle ciò tale tali entrambi entrambe qui lì là ne",
        "suo sua suoi sue altro altra altri altre stesso stessa ma quindi dunque così "
        "allora poi inoltre infatti tuttavia però anche e infine perciò invece seguirono "
        "dopo",
        "oggi ieri domani adesso ora attualmente recentemente",
        "io mi me mio mia miei mie noi nostro nostra nostri nostre tu ti te tuo tua tuoi "
        "voi vi vostro vostra vostri vostre",
    ),
    "nl": _of(
        "de het een en van in is op te dat die voor met zijn aan niet er om ook als bij "
        "door naar uit wordt werd was of heeft",
        "hij zij ze haar hen deze dit zulke zulk beide beiden daarvan daarmee daarin daarop "
        "hiermee hiervan ervan erin erop dergelijke hier daar",
        "die zijn hun dat andere maar dus want toch daarom dan daarna bovendien ook echter "
        "en of zo verder tenslotte vervolgens",
        "vandaag gisteren morgen nu momenteel onlangs binnenkort",
        "ik me mij mijn wij we ons onze jij je jou jouw jullie u uw",
    ),
    "nordic": _of(
        "och att det som på är av för med den till en ett og ikke ikkje av til det som på "
        "er et var har inte från fra ble blev",
        "han hon hun dem dessa denna detta disse denne dette sådan sådana slike slik båda "
        "begge där der här her",
        "hans hennes deras deres sin men så då da därför derfor därefter deretter också "
        "også dessutom dessuten och og",
        "idag igår imorgon nu nå nylig nyligen snart",
        "jag jeg mig meg min mitt mina vi oss vår vårt våra vores vores du dig deg din ditt "
        "dina ni er ert",
    ),
    "pl": _of(
        "i w na z do się nie jest to że o jak od po za przez dla oraz ale był była było są "
        "który która które",
        "on ona ono oni one jemu im ją ten ta ci te tego tej tym tych temu tamten tamta "
        "taki taka takie oba obie obu tutaj tu tam nich niego niej nim nimi go wtedy "
        "wówczas tę",
        "to jego jej ich inny inna inne ale więc zatem jednak potem następnie ponadto także "
        "też i a dlatego natomiast zaś",
        "dziś dzisiaj wczoraj jutro teraz obecnie niedawno wkrótce",
        "ja mnie mi mój moja moje my nas nam nasz nasza nasze ty ciebie ci twój twoja wy "
        "was wam wasz państwo",
    ),
    "ru": _of(
        "и в на с не что как по из к у за от о для это был была было были при так также "
        "который которая до же",
        "он она оно они ему ей им них этот эта это эти этого этой этих этом этим этому "
        "этими той тех тому такой такая такое такие таких оба обе данный данная здесь там "
        "тут них них",
        "его её ее их тот та то те сам сама сюда другие другой остальные но а и поэтому "
        "затем потом однако также кроме тоже так при итак тогда зато впрочем цифра",
        "сегодня вчера завтра сейчас теперь недавно скоро ныне пока",
        "я меня мне мой моя моё мои мы нас нам наш наша наше наши ты тебя тебе твой твоя вы "
        "вас вам ваш ваша ваше ваши рекомендуем",
    ),
    "tr": _of(
        "ve bir bu da de için ile çok olarak daha gibi en olan ise kadar sonra her",
        "şu onlar bunlar şunlar onun bunun şunun onların bunların onu bunu ona buna orada "
        "burada böyle öyle onlardan bundan ondan buradan oradan bunlardan",
        "o bu diğer aynı ama fakat ancak çünkü böylece sonra ayrıca ve yine oysa "
        "dolayısıyla üstelik meğer",
        "bugün dün yarın şimdi artık geçenlerde yakında bugünkü önümüzdeki geçen",
        "ben beni bana benim biz bizi bize bizim sen seni sana senin siz sizi size sizin",
    ),
    "id": _of(
        "yang dan di dari untuk dengan ini itu pada adalah tidak dalam akan ke oleh juga "
        "atau karena sebagai telah para",
        "ia dia mereka ini itu tersebut tsb beliau tadi demikian begitu keduanya kedua "
        "lainnya inilah itulah sini situ",
        "tetapi tapi namun maka sehingga kemudian lalu selain juga dan jadi karena oleh "
        "sedangkan bahkan sebaliknya nah cuma sebelum setelah dari",
        "sekarang kini kemarin besok",
        "saya aku kami kita kamu anda engkau kalian jangan mari perhatikan",
    ),
    "ko": _of(
        "",
        "이것 그것 저것 이것은 그것은 이는 그는 그녀 그녀는 그들 그들은 이들 "
        "이들은 이런 그런 저런 이러한 그러한 해당 이번 양측 여기 거기 여기에 "
        "이 그 저 그건 이건 이게 그게 그중 당시",
        "하지만 그러나 그리고 또한 또 그래서 따라서 그런데 그러니 즉 한편 다만 이에 물론 게다가",
        "오늘 어제 내일 지금 현재 최근 이제 이제는 올해 작년 지난 요즘 지난해 내년 다음 이번에",
        "나는 내가 나의 저는 제가 우리 우리는 저희 당신 여러분",
    ),
    "ja": _of(
        "",
        "これ それ あれ この その あの ここ そこ こう そう そんな こんな 彼女 "
        "彼ら 彼は 彼が 両者 こちら そちら 今回 上記 下記 以下 同じ 当時 "
        "中でも",
        "しかし また そして さらに そのため だから つまり ただし なお ところが "
        "次に 一方 では 例えば まず でも",
        "今日 昨日 明日 今年 昨年 去年 先日 最近 現在 今後 先月 今月 再び 来月 来年 翌日",
        "私 僕 俺 我々 弊社 当社 当店 自分は あなた 皆さん みなさん ください ましょう と思い",
        spaced=False,
    ),
    "zh": _of(
        "",
        "这 那 它 他 她 此 该 這 該 两者 兩者 当时 當時",
        "但 而 因此 所以 然后 然後 另外 同时 同時 于是 於是 不过 不過 并 也 其",
        "今天 昨天 明天 现在 現在 目前 今年 去年 最近 近日 近期",
        "我 你 您 咱 本人",
        spaced=False,
    ),
}
