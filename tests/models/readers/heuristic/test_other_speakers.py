import pytest

from factmill.models.readers.heuristic.other_speakers import other_speaker_fault


@pytest.mark.parametrize(
    ("sentence", "fault"),
    [
        ("Elle est certifiée contact alimentaire.", "pronoun_subject"),
        ("Il dispose d’une grille de cuisson de 40 cm.", "pronoun_subject"),
        ("Er steht auf einem Felsen im Meer.", "pronoun_subject"),
        ("彼女は1881年に塔を建てた。", "pronoun_subject"),
        ("我们提供最好的灯。", "pronoun_subject"),
        ("Le phare est pour vous.", "speaker"),
        ("Pour une touche tonique, optez pour la menthe.", "speaker"),
        ("Die Lampen liefern wir nach Oslo.", "speaker"),
        ("Die Lampe hilft Ihnen im Winter.", "speaker"),
        ("Le prix de la lampe se situe entre 50€ et...", "cut_short"),
    ],
)
def test_sentence_that_cannot_be_read_by_itself_says_why(sentence: str, fault: str) -> None:
    assert other_speaker_fault(sentence) == fault


@pytest.mark.parametrize(
    "sentence",
    [
        "Le phare se trouve chez Marie Lund.",
        "Il faut deux heures pour traverser la baie.",
        "Il gelato della nonna è famoso in tutta la città.",
        "Der Turm wurde 1881 gebaut.",
        "東京は日本の首都である。",
        "Le barbecue vertical évite que les graisses tombent sur les braises.",
    ],
)
def test_sentence_that_names_its_subject_has_no_fault(sentence: str) -> None:
    assert other_speaker_fault(sentence) == ""
