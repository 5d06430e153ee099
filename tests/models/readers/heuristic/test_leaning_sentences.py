import pytest

from factmill.models.readers.heuristic.closed_classes import closed_classes
from factmill.models.readers.heuristic.leaning_sentences import leaning_fault

FRENCH = "Le phare est sur une île de la baie. "
GERMAN = "Der Turm ist auf dem Felsen und in der Bucht. "
PORTUGUESE = "A torre fica na ilha e o farol é de 1881. "
TURKISH = "Kule bir ada ve bir liman için yapıldı. "


@pytest.mark.parametrize(
    ("text", "sentence", "fault"),
    [
        (FRENCH, "Elle est certifiée contact alimentaire.", "pronoun_subject"),
        (FRENCH, "Il dispose d’une grille de cuisson de 40 cm.", "pronoun_subject"),
        (FRENCH, "Mais le phare ferme en hiver.", "pronoun_subject"),
        (FRENCH, "Le phare de cette baie mesure 16 m.", "open_reference"),
        (FRENCH, "Le phare est pour vous.", "speaker"),
        (FRENCH, "Pour une touche tonique, optez pour la menthe.", "speaker"),
        (FRENCH, "Le prix de la lampe se situe entre 50€ et...", "cut_short"),
        (GERMAN, "Er steht auf einem Felsen im Meer.", "pronoun_subject"),
        (GERMAN, "Seine Lampe stammt aus Oslo.", "pronoun_subject"),
        (GERMAN, "Die Lampen liefern wir nach Oslo.", "speaker"),
        (GERMAN, "Die Lampe hilft Ihnen im Winter.", "speaker"),
        (GERMAN, "Oslo baut derzeit einen Turm.", "relative_time"),
        (GERMAN, "und der Turm steht in Oslo.", "cut_short"),
        (PORTUGUESE, "Eugênio: Um abraço para Oslo.", "speaker"),
        (PORTUGUESE, "A torre fica nesta ilha e isto agrada.", "open_reference"),
        (TURKISH, "Bu kule Oslo limanında duruyor.", "pronoun_subject"),
        ("", "彼女は1881年に塔を建てた。", "pronoun_subject"),
        ("", "東京ではその塔が有名である。", "open_reference"),
        ("", "我们提供最好的灯。", "speaker"),
        ("", "这座塔建于1881年。", "pronoun_subject"),
        ("", "하지만 탑은 오슬로에 있다.", "pronoun_subject"),
        ("", "오슬로는 이 탑을 세웠다.", "open_reference"),
    ],
)
def test_sentence_that_cannot_be_read_by_itself_says_why(
    text: str, sentence: str, fault: str
) -> None:
    assert leaning_fault(sentence, closed_classes(text + sentence)) == fault


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (FRENCH, "Le phare se trouve chez Marie Lund."),
        (FRENCH, "Il faut deux heures pour traverser la baie."),
        (FRENCH, "Le phare de Marie Lund et sa lampe mesurent 16 m."),
        (FRENCH, "Le barbecue vertical évite que les graisses tombent sur les braises."),
        ("", "Il gelato della nonna è famoso in tutta la città."),
        (GERMAN, "Der Turm wurde 1881 gebaut."),
        (GERMAN, "Marie Lund baute ihren Turm in Oslo."),
        ("", "東京は日本の首都である。"),
        ("", "이순신은 조선의 장군이다."),
        ("", "Věž stojí v Praze od roku 1881."),
    ],
)
def test_sentence_that_names_its_subject_has_no_fault(text: str, sentence: str) -> None:
    assert leaning_fault(sentence, closed_classes(text + sentence)) == ""


def test_word_of_one_language_means_nothing_in_another() -> None:
    """Italian "i" is an article, Polish "i" opens with what came before."""
    text = "I fari della baia e la torre di Oslo sono del 1881."
    assert leaning_fault(text, closed_classes(text)) == ""
    polish = "Wieża jest na wyspie i stoi w Oslo. "
    assert leaning_fault("I latarnia stoi w Oslo.", closed_classes(polish)) == "pronoun_subject"


def test_text_of_a_language_without_a_table_has_no_closed_classes() -> None:
    assert closed_classes("Věž stojí v Praze od roku 1881.") is None
