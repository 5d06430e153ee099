import pytest

from factmill.models.readers.heuristic.closed_classes import closed_classes
from factmill.models.readers.heuristic.leaning_sentences import leaning_fault

# What stands before the sentence, in its language.
BEFORE = {
    "de": "Der Turm ist auf dem Felsen und in der Bucht. ",
    "fr": "Le phare est sur une île de la baie. ",
    "es": "El faro fue construido en la isla de la bahía. ",
    "pt": "A torre fica na ilha e o farol é de 1881. ",
    "it": "Il faro è nella baia e la torre è della città. ",
    "nl": "De toren is op het eiland en een van de oudste. ",
    "no": "Tårnet er på en øy og det er fra 1881. ",
    "sv": "Tornet är på en ö och det har en lykta av glas. ",
    "pl": "Wieża jest na wyspie i była w porcie od roku 1881. ",
    "ru": "Башня была на острове и в порту с 1881 года. ",
    "tr": "Kule bir ada ve bir liman için yapıldı. ",
    "id": "Menara itu ada di pulau dan di pelabuhan yang tua. ",
    "none": "",
}


@pytest.mark.parametrize(
    ("code", "sentence", "fault"),
    [
        ("fr", "Elle est certifiée contact alimentaire.", "pronoun_subject"),
        ("fr", "Il dispose d’une grille de cuisson de 40 cm.", "pronoun_subject"),
        ("fr", "Mais le phare ferme en hiver.", "pronoun_subject"),
        ("fr", "Le phare de cette baie mesure 16 m.", "open_reference"),
        ("fr", "Le phare est pour vous.", "speaker"),
        ("fr", "Pour une touche tonique, optez pour la menthe.", "speaker"),
        ("fr", "Le prix de la lampe se situe entre 50€ et...", "cut_short"),
        ("de", "Er steht auf einem Felsen im Meer.", "pronoun_subject"),
        ("de", "Seine Lampe stammt aus Oslo.", "pronoun_subject"),
        ("de", "Die Lampen liefern wir nach Oslo.", "speaker"),
        ("de", "Die Lampe hilft Ihnen im Winter.", "speaker"),
        ("de", "Oslo baut derzeit einen Turm.", "relative_time"),
        ("de", "und der Turm steht in Oslo.", "cut_short"),
        ("de", "Er wurde in der Stadt (東京) und auf dem Land geboren.", "pronoun_subject"),
        ("pt", "Eugênio: Um abraço para Oslo.", "speaker"),
        ("pt", "A torre fica nesta ilha e isto agrada.", "open_reference"),
        ("es", "El faro está en ese puerto.", "open_reference"),
        ("it", "Ne rimane la torre di Oslo.", "pronoun_subject"),
        ("nl", "Deze toren is van Oslo.", "pronoun_subject"),
        ("no", "Han bygde et tårn i Oslo.", "pronoun_subject"),
        ("pl", "Wieża jest dla nas za droga.", "speaker"),
        ("ru", "Башня стоит на этом острове.", "open_reference"),
        ("tr", "Bu kule Oslo limanında duruyor.", "pronoun_subject"),
        ("id", "Menara tersebut dibangun di Oslo.", "open_reference"),
        ("none", "彼女は1881年に塔を建てた。", "pronoun_subject"),
        ("none", "東京ではその塔が有名である。", "open_reference"),
        ("none", "我们提供最好的灯。", "speaker"),
        ("none", "这座塔建于1881年。", "pronoun_subject"),
        ("none", "하지만 탑은 오슬로에 있다.", "pronoun_subject"),
        ("none", "오슬로는 이 탑을 세웠다.", "open_reference"),
    ],
)
def test_sentence_that_cannot_be_read_by_itself_says_why(
    code: str, sentence: str, fault: str
) -> None:
    assert leaning_fault(sentence, closed_classes(BEFORE[code] + sentence)) == fault


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("fr", "Le phare se trouve chez Marie Lund."),
        ("fr", "Il faut deux heures pour traverser la baie."),
        ("fr", "Le phare de Marie Lund et sa lampe mesurent 16 m."),
        ("fr", "Le barbecue vertical évite que les graisses tombent sur les braises."),
        ("fr", "Notre-Dame de Paris est dans la ville et porte le marquage CE."),
        ("fr", "Plus de 300 personnes vivent sur l'île."),
        ("it", "Il gelato della nonna è famoso in tutta la città."),
        ("it", "Il papa Paolo VI è nato nella città di Brescia nel 1897."),
        ("it", "Il treno va a 90 chilometri all'ora."),
        ("es", "Ana Pérez nació en la ciudad de Lima, al este de la sierra."),
        ("pt", "A torre foi construída nos anos 1880 em Oslo."),
        ("de", "Der Turm wurde 1881 gebaut."),
        ("de", "Marie Lund baute ihren Turm am Morgen des 6. Juni 1944."),
        ("de", "Um 14:30 Uhr beginnt der Gottesdienst in Oslo."),
        ("de", "iPhone 15 ist ein Telefon von Apple."),
        ("nl", "De trein van Utrecht rijdt 140 km/u."),
        ("no", "Oslo er hovedstaden i Norge og ligger på Østlandet."),
        ("sv", "Resan till Uppsala tar 45 min med tåg."),
        ("pl", "Polska to państwo w Europie i była w wojnie."),
        ("ru", "Университет им. Ломоносова стоит в Москве."),
        ("tr", "Tuna nehri Budapeşte'den geçen bir nehirdir."),
        ("none", "東京は日本の首都である。"),
        ("none", "私立大学はそれぞれ東京にある。"),
        ("none", "但丁写了神曲，吉他有六根弦。"),
        ("none", "이순신은 조선의 장군이다."),
        ("none", "갤럭시 S24이 서울에서 공개되었다."),
        ("none", "საქართველოს დედაქალაქი თბილისია."),
    ],
)
def test_sentence_that_names_its_subject_has_no_fault(code: str, sentence: str) -> None:
    assert leaning_fault(sentence, closed_classes(BEFORE[code] + sentence)) == ""


def test_word_of_one_language_means_nothing_in_another() -> None:
    """ "On" is a French pronoun that is not in the table, and Polish "he"."""
    french = "On Lund Street" + BEFORE["fr"]
    assert leaning_fault("On a construit le phare à Oslo.", closed_classes(french)) == ""
    polish = closed_classes(BEFORE["pl"])
    assert leaning_fault("On zbudował wieżę.", polish) == "pronoun_subject"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        *((text, code) for code, text in BEFORE.items() if code not in {"none", "no", "sv"}),
        (BEFORE["no"], "nordic"),
        (BEFORE["sv"], "nordic"),
        ("Věž je na ostrově a byla postavena pro přístav, který je od roku 1881.", "cs"),
        ("Вежа на острові була побудована для порту, який є у місті.", "uk"),
        ("Turnul este pe o insulă și a fost construit pentru port în 1881.", "ro"),
        ("東京は日本の首都である。", "ja"),
        ("东京是日本的首都。", "zh"),
        ("서울은 한국의 수도이다.", "ko"),
    ],
)
def test_language_is_told_by_script_and_usual_words(text: str, code: str) -> None:
    language = closed_classes(text)
    assert language is not None
    assert language.code == code


@pytest.mark.parametrize("text", ["", "1881", "Tallinn Riga Vilnius 1881.", "Kalevala 東"])
def test_text_without_usual_words_is_of_no_language(text: str) -> None:
    assert closed_classes(text) is None
