from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmill.models.text.language import LanguageFinder

PARAGRAPHS = {
    "en": "The keeper climbed the stairs every evening and lit the lamp before the boats came.",
    "de": "Der Wärter stieg jeden Abend die Treppe hinauf und zündete die Lampe an, bevor die Boote"
    " zurückkamen.",
    "fr": "Le gardien montait chaque soir l'escalier et allumait la lampe avant le retour des"
    " bateaux de pêche.",
    "es": "El guardián subía cada noche la escalera y encendía la lámpara antes de que volvieran"
    " los barcos.",
    "pt": "O guarda subia as escadas todas as noites e acendia a lâmpada antes de os barcos não"
    " voltarem mais.",
    "it": "Il guardiano saliva ogni sera le scale e accendeva la lampada prima che le barche"
    " tornassero nel porto.",
    "nl": "De wachter klom elke avond de trap op en stak de lamp aan voordat de boten weer in de"
    " haven waren.",
    "sv": "Vaktmästaren gick varje kväll uppför trappan och tände lampan innan båtarna kom tillbaka"
    " till hamnen.",
    "pl": "Latarnik każdego wieczoru wchodził po schodach i zapalał lampę, zanim łodzie wróciły do"
    " portu.",
    "cs": "Strážce každý večer vystoupal po schodech a rozsvítil lampu, než se lodě vrátily do"
    " přístavu.",
    "hu": "Az őr minden este felment a lépcsőn, és meggyújtotta a lámpát, mielőtt a hajók"
    " visszatértek volna.",
    "fi": "Vartija kiipesi joka ilta portaat ylös ja sytytti lampun ennen kuin veneet palasivat"
    " satamaan.",
    "tr": "Bekçi her akşam merdivenleri çıkar ve tekneler limana dönmeden önce lambayı yakardı.",
    "ru": "Смотритель каждый вечер поднимался по лестнице и зажигал лампу, пока ждал возвращения.",
    "uk": "Доглядач щовечора підіймався сходами й запалював лампу, перш ніж човни поверталися до"
    " гавані.",
    "el": "Ο φύλακας ανέβαινε κάθε βράδυ τη σκάλα και άναβε τη λάμπα πριν γυρίσουν οι βάρκες.",
    "he": "השומר טיפס בכל ערב במדרגות והדליק את המנורה לפני שהסירות חזרו אל הנמל.",
    "ar": "كان الحارس يصعد الدرج كل مساء ويشعل المصباح قبل أن تعود القوارب إلى الميناء.",
    "zh": "看守人每天晚上爬上楼梯，在渔船回来之前点亮灯塔上的灯，然后坐下来写日记。",
    "ja": "灯台守は毎晩階段を上り、漁船が港に戻ってくる前に明かりをともしました。",
    "ko": "등대지기는 매일 저녁 계단을 올라가 배들이 항구로 돌아오기 전에 등불을 켰습니다.",
    "th": "ผู้ดูแลประภาคารขึ้นบันไดทุกเย็นและจุดตะเกียงก่อนที่เรือประมงจะกลับมาถึงท่าเรือ",
    "hi": "रखवाला हर शाम सीढ़ियाँ चढ़ता था और नावों के लौटने से पहले दीपक जलाता था।",
    "vi": "Mỗi buổi tối người gác đèn leo lên cầu thang và thắp đèn trước khi thuyền trở về bến.",
    "id": "Karena cuaca buruk, pemerintah kota memutuskan bahwa pelabuhan baru bisa dibuka kembali"
    " setelah hari Senin.",
}  # fmt: skip


@pytest.fixture(scope="module")
def finder() -> LanguageFinder:
    return LanguageFinder()


@pytest.mark.parametrize("language", sorted(PARAGRAPHS))
def test_find_one_sentence_gives_its_language(finder: LanguageFinder, language: str) -> None:
    assert finder.find(PARAGRAPHS[language]) == language


@pytest.mark.parametrize("language", sorted(set(PARAGRAPHS) - {"en"}))
def test_find_text_decides_against_a_template_that_declares_english(
    finder: LanguageFinder, language: str
) -> None:
    assert finder.find(f"{PARAGRAPHS[language]}\n" * 8, declared="en") == language


def test_find_foreign_first_line_does_not_decide_a_page(finder: LanguageFinder) -> None:
    notice = "This article is also available in English; choose your language in the menu above.\n"
    assert finder.find(notice + f"{PARAGRAPHS['pl']}\n" * 12) == "pl"


@pytest.mark.parametrize(
    "text",
    ["", "Skerrow Point", "OK", "12.5 % 1,024 2026-11-21 " * 40, "|---|---|" * 50, "\ud800" * 80,
     "🙂" * 300],
)  # fmt: skip
@pytest.mark.parametrize("declared", ["", "en", "fi"])
def test_find_what_tells_nothing_leaves_the_declared_language(
    finder: LanguageFinder, text: str, declared: str
) -> None:
    assert finder.find(text, declared) == declared


@pytest.mark.parametrize("declared", ["hr", "bs", "sr"])
def test_find_of_close_relatives_the_declared_one_stands(
    finder: LanguageFinder, declared: str
) -> None:
    text = "Čuvar se svake večeri penjao stepenicama i palio lampu prije povratka brodova."
    assert finder.find(text, declared) == declared


def test_find_other_codes_of_one_language_are_no_contradiction(finder: LanguageFinder) -> None:
    assert finder.find(PARAGRAPHS["he"], "iw") == "iw"
    assert finder.find(PARAGRAPHS["id"], "in") == "in"


def test_find_cantonese_written_as_chinese_is_chinese(finder: LanguageFinder) -> None:
    text = "香港天文台表示，今日天氣大致多雲，有幾陣驟雨，市民外出時應帶備雨具。" * 3
    assert finder.find(text) == "zh"


def test_find_long_text_is_of_the_language_of_a_short_one(finder: LanguageFinder) -> None:
    short, long = PARAGRAPHS["en"] * 10, PARAGRAPHS["en"] * 200_000
    assert finder.find(short) == finder.find(long) == "en"


@given(st.text(st.characters(), max_size=300), st.sampled_from(["", "en", "xx", "no-such"]))
@settings(max_examples=100)
def test_find_any_text_gives_the_declared_or_a_code(
    finder: LanguageFinder, text: str, declared: str
) -> None:
    found = finder.find(text, declared)
    assert found == declared or (2 <= len(found) <= 3 and found.isalpha() and found.islower())
