from __future__ import annotations

import codecs
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmill.transforms.markup.decoding import decode_html
from tests.conftest import DATA

CHARSETS = DATA / "malformed" / "charsets" / "tests"
SENTENCE = "Renée Sjöberg was born in 1879 – in “Tarn Quay”."


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
@pytest.mark.parametrize("charset", ["", "utf-8", "iso-8859-1", "windows-1252"])
def test_decode_html_byte_order_mark_wins_over_every_declaration(
    encoding: str, charset: str
) -> None:
    page = '<meta charset="iso-8859-1"><p>Renée was born in 1879.'
    assert decode_html(page.encode(encoding), charset).removeprefix("\ufeff") == page


@pytest.mark.parametrize("charset", ["windows-1250", "koi8-r", "utf-8", "shift_jis", "big5"])
def test_decode_html_http_charset_wins_over_the_page_s_own(charset: str) -> None:
    words = {"windows-1250": "Łódź", "koi8-r": "Москва", "utf-8": "Łódź", "shift_jis": "日本"}
    page = f'<meta charset="windows-1252"><p>{words.get(charset, "香港")}</p>'
    assert decode_html(page.encode(charset), charset) == page


@pytest.mark.parametrize(
    "declaration",
    [
        '<meta charset="windows-1250">',
        "<meta charset=windows-1250>",
        '<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=Windows-1250">',
        '<?xml version="1.0" encoding="windows-1250"?>',
        "<meta name=x><script>" + "var a = 1;\n" * 4000 + "</script><meta charset=windows-1250>",
    ],
)
def test_decode_html_page_s_own_charset_is_used(declaration: str) -> None:
    page = f"{declaration}<p>Łódź, Gdańsk i Kraków</p>"
    assert decode_html(page.encode("windows-1250")) == page


@pytest.mark.parametrize("declared", ["iso-8859-1", "ISO_8859-1", "latin-1", "latin1", "us-ascii"])
@pytest.mark.parametrize("by_http", [True, False])
def test_decode_html_windows_1252_declared_as_latin_1_is_read_as_browsers_do(
    declared: str, by_http: bool
) -> None:
    page = SENTENCE if by_http else f'<meta charset="{declared}">{SENTENCE}'
    assert decode_html(page.encode("cp1252"), declared if by_http else "") == page


@pytest.mark.parametrize(
    "text",
    [
        "Renée", "10 €", "<p>Größe 5 µm – “x”</p>", "日本語", "Привет", "naïve café", "25 °C", "½",
        "one ’ in a page of plain words " * 20,
    ],
)  # fmt: skip
def test_decode_html_undeclared_utf8_is_utf8(text: str) -> None:
    assert decode_html(text.encode()) == text


@given(st.text(st.characters(min_codepoint=0xA0, max_codepoint=0x2FFF), min_size=1, max_size=40))
@settings(max_examples=60)
def test_decode_html_any_undeclared_utf8_is_utf8(words: str) -> None:
    page = f"<html><body><p>The page says: {words}</p></body></html>"
    assert decode_html(page.encode()) == page


def test_decode_html_wrong_declaration_falls_through_to_what_decodes() -> None:
    page = f'<meta charset="ascii-but-no-such-name"><p>{SENTENCE}'
    assert decode_html(page.encode(), "utf-99") == page


def test_decode_html_undecodable_bytes_become_replacement_or_a_legacy_letter() -> None:
    text = decode_html(b"caf\xe9 \xff\xfe \x81 and plain words", "utf-8")
    assert text.endswith("and plain words")
    assert text.startswith("caf")


WRITTEN = {
    "de": "Der Wärter stieg jeden Abend die Treppe hinauf und zündete die Lampe an, bevor die"
    " Boote wieder zurück zum Hafen fuhren.",
    "pl": "Latarnik każdego wieczoru wchodził po schodach i zapalał lampę, zanim łodzie wróciły.",
    "ru": "Смотритель каждый вечер поднимался по лестнице и зажигал лампу.",
    "el": "Ο φύλακας ανέβαινε κάθε βράδυ τη σκάλα και άναβε τη λάμπα πριν γυρίσουν οι βάρκες.",
    "tr": "Bekçi her akşam merdivenleri çıkar ve tekneler limana dönmeden önce lambayı yakardı.",
    "zh": "看守人每天晚上爬上楼梯，在渔船回来之前点亮灯塔上的灯，然后坐下来写日记。",
    "ja": "灯台守は毎晩階段を上り、漁船が港に戻ってくる前に明かりをともしました。",
    "ko": "등대지기는 매일 저녁 계단을 올라가 배들이 항구로 돌아오기 전에 등불을 켰습니다.",
    "th": "ผู้ดูแลประภาคารขึ้นบันไดทุกเย็นและจุดตะเกียงก่อนที่เรือประมงจะกลับมาถึงท่าเรือ",
}


@pytest.mark.parametrize(
    ("language", "charset"),
    [("de", "cp1252"), ("de", "cp850"), ("pl", "cp1250"), ("pl", "iso-8859-2"), ("ru", "cp1251"),
     ("ru", "koi8-r"), ("ru", "iso-8859-5"), ("ru", "cp866"), ("el", "iso-8859-7"),
     ("tr", "cp1254"), ("zh", "gb2312"), ("zh", "gb18030"), ("zh", "hz"), ("ja", "shift_jis"),
     ("ja", "euc_jp"), ("ja", "iso2022_jp"), ("ko", "euc_kr"), ("ko", "iso2022_kr"),
     ("th", "cp874"), ("de", "utf-16-le"), ("zh", "utf-16-be"), ("de", "utf-32-le"),
     ("zh", "utf-32-be")],
)  # fmt: skip
def test_decode_html_what_nobody_declared_is_detected(language: str, charset: str) -> None:
    page = f"<html><body><div><p>{WRITTEN[language]}</p></div></body></html>"
    assert decode_html(page.encode(charset)) == page


@pytest.mark.parametrize("by_http", [True, False])
@pytest.mark.parametrize(
    ("language", "charset"),
    [("ru", "cp1251"), ("ru", "koi8-r"), ("el", "iso-8859-7"), ("zh", "gb2312"), ("ko", "euc_kr")],
)
def test_decode_html_other_script_declared_as_latin_1_is_detected(
    language: str, charset: str, by_http: bool
) -> None:
    page = f"<html><body><div><p>{WRITTEN[language]}</p></div></body></html>"
    page = page if by_http else f'<meta charset="iso-8859-1">{page}'
    assert decode_html(page.encode(charset), "ISO-8859-1" if by_http else "") == page


@pytest.mark.parametrize(
    ("language", "charset", "declared"),
    [("ru", "koi8-r", "windows-1251"), ("ru", "cp1251", "koi8-r"), ("ru", "cp1251", "iso-8859-5"),
     ("ru", "cp866", "windows-1251"), ("pl", "cp1250", "iso-8859-1"), ("zh", "gbk", "big5"),
     ("ja", "euc_jp", "shift_jis"), ("ja", "shift_jis", "iso-8859-1")],
)  # fmt: skip
@pytest.mark.parametrize("by_http", [True, False])
def test_decode_html_related_encoding_that_was_meant_is_found(
    language: str, charset: str, declared: str, by_http: bool
) -> None:
    page = f"<html><body><div><p>{WRITTEN[language] * 9}</p></div></body></html>"
    page = page if by_http else f'<meta charset="{declared}">{page}'
    assert decode_html(page.encode(charset), declared if by_http else "") == page


@pytest.mark.parametrize(
    ("page", "charset"),
    [("ПРОДАМ ГАРАЖ. ПОДРОБНОСТИ ПО ТЕЛЕФОНУ " * 9, "windows-1251"),
     ("“Άξιον εστί” " * 9, "windows-1253"), ("Hola¿Qué tal? ¡Sí! " * 9, "iso-8859-1"),
     ("iPhone BRAND®NAME café m²/h n°5 " * 9, "iso-8859-1")],
)  # fmt: skip
def test_decode_html_odd_words_alone_are_no_other_encoding(page: str, charset: str) -> None:
    assert decode_html(page.encode(charset), charset) == page


@pytest.mark.parametrize(
    ("language", "between"),
    [("de", "cp1252"), ("de", "latin-1"), ("zh", "latin-1"), ("ru", "latin-1"), ("ru", "cp1251")],
)
def test_decode_html_utf8_that_was_encoded_twice_is_decoded_twice(
    language: str, between: str
) -> None:
    page = f"{WRITTEN[language]} – “Tarn Quay – " * 3
    assert decode_html(page.encode().decode(between).encode()) == page


def test_decode_html_words_that_look_encoded_twice_are_left_where_others_do_not() -> None:
    page = "CAFÉ» «Ça, l’été» — “œuvre”, ‘très’. " * 9
    assert decode_html(page.encode()) == page


def test_decode_html_lines_and_accents_do_not_make_a_page_another_script() -> None:
    page = f"{'÷' * 80} Ça, c'est l'été à Œuvres. {'¯' * 40} ÀÉÈÙ " * 3
    assert decode_html(page.encode("cp1252"), "iso-8859-1") == page


@pytest.mark.parametrize(("charset", "sign"), [("shift_jis", "〜"), ("gb2312", "―")])
def test_decode_html_declared_or_detected_gives_the_same_signs(charset: str, sign: str) -> None:
    page = f"<p>{sign}{WRITTEN['ja' if charset == 'shift_jis' else 'zh'] * 3}</p>"
    assert decode_html(page.encode(charset)) == decode_html(page.encode(charset), charset) == page


@pytest.mark.parametrize("language", sorted(WRITTEN))
@pytest.mark.parametrize("declared", ["iso-8859-1", "windows-1251", "utf-16", "big5"])
def test_decode_html_utf8_that_is_no_chance_wins_over_a_declaration(
    language: str, declared: str
) -> None:
    page = f'<meta charset="{declared}"><p>{WRITTEN[language] * 4}</p>'
    assert decode_html(page.encode()) == page
    assert decode_html(page.encode(), declared) == page


def test_decode_html_characters_that_could_be_utf8_by_chance_are_read_as_declared() -> None:
    page = '<meta charset="gb2312"><p>目模某</p>'
    assert page.encode("gb2312").decode("utf-8") != page
    assert decode_html(page.encode("gb2312")) == page


@pytest.mark.parametrize(
    ("language", "charset", "start"),
    [("ru", "utf-8", ""), ("ru", "utf-8", '<meta charset="utf-8">'),
     ("ja", "euc_jp", '<meta charset="euc-jp">'), ("zh", "gb18030", '<meta charset="gb2312">')],
)  # fmt: skip
def test_decode_html_one_broken_byte_costs_one_character(
    language: str, charset: str, start: str
) -> None:
    text = start + "<p>" + WRITTEN[language] * 3
    page = text.encode(charset) + b"\xff</p><p>end</p>"
    assert decode_html(page) == text + "\ufffd</p><p>end</p>"


@pytest.mark.parametrize(
    ("declared", "written", "text"),
    [("gb2312", "gb18030", "镕基 €"), ("shift_jis", "cp932", "①髙島屋"),
     ("euc-kr", "cp949", "펲시맨"), ("big5", "big5hkscs", "嘅啲嘢"),
     ("x-sjis", "shift_jis", "〜日本"), ("x-gbk", "gbk", "中国"),
     ("windows-874", "cp874", "“ไทย”"), ("tis-620", "cp874", "“ไทย”"),
     ("iso-8859-8-i", "iso-8859-8", "שלום"), ("iso-8859-9", "cp1254", "“Türkçe”")],
)  # fmt: skip
def test_decode_html_declared_name_is_read_as_pages_use_it(
    declared: str, written: str, text: str
) -> None:
    page = f'<meta charset="{declared}"><p>{text}</p>'
    assert decode_html(page.encode(written)) == page


@pytest.mark.parametrize("sign", ["\x1b[1m bold", "~{ and ~} of a script", "\0"])
@pytest.mark.parametrize("text", ["plain words", "a café", "ten €"])
def test_decode_html_signs_of_other_encodings_do_not_make_a_page_one(sign: str, text: str) -> None:
    page = f"<p>{text} {sign} </p>" + "<p>The lamp was lit every evening.</p>" * 5
    assert decode_html(page.encode()) == page.replace("\x1b", " ").replace("\0", " ")


@pytest.mark.skipif(not CHARSETS.is_dir(), reason="../shared/data is not there")
def test_decode_html_pages_of_51_charsets_are_read_as_their_folder_says() -> None:
    read = []
    for path in sorted(CHARSETS.glob("*/*")):
        name = path.parent.name
        while name and not _known(name):
            name = name.rpartition("-")[0]  # "iso-8859-2-polish"
        if name:
            expected = decode_html(path.read_bytes().decode(name, "replace"))
            read.append(decode_html(path.read_bytes()) == expected.removeprefix("\ufeff"))
    assert len(read) > 400
    assert sum(read) / len(read) >= 0.98


def _known(charset: str) -> bool:
    try:
        codecs.lookup(charset)
    except LookupError:
        return False
    return True


@pytest.mark.parametrize(
    "part",
    [
        "<meta ",
        "<meta charset ",
        "<meta charset=",
        "<?xml encoding ",
        "<",
        "\x1b",
        "~{",
        "\0",
        "Ã©",
    ],
)
def test_decode_html_hostile_page_takes_time_linear_in_it(part: str) -> None:
    def seconds(size: int) -> float:
        page = (part * size).encode()[:size] + b"\xe9"
        start = time.process_time()
        decode_html(page)
        return time.process_time() - start

    assert seconds(4_000_000) < 20 * max(seconds(400_000), 0.01)


def test_decode_html_declaration_of_blanks_takes_linear_time() -> None:
    began = time.process_time()
    decode_html(b"<meta charset=" + b" " * 40_000 + b"<b>\xe9")
    assert time.process_time() - began < 1.5  # a square would take more


def test_decode_html_null_bytes_and_controls_become_blanks() -> None:
    assert decode_html(b"a\0b\x08c\x7fd\te\nf") == "a b c d\te\nf"
    assert decode_html("a\0b\ud800c\uffffd") == "a b c d"


def test_decode_html_line_ends_become_newlines() -> None:
    assert decode_html(b"a\r\nb\rc\nd") == "a\nb\nc\nd"


@pytest.mark.parametrize(
    "charset",
    ["undefined", "idna", "punycode", "rot13", "hex", "unicode_escape", "utf-7", "\0", "utf-8\0",
     "é", "x" * 5000, " utf-8 ", '"', "mbcs", "utf-32"],
)  # fmt: skip
@pytest.mark.parametrize("by_http", [True, False])
def test_decode_html_strange_charset_never_raises(charset: str, by_http: bool) -> None:
    page = b"a..b \\q \\x caf\xe9 " + b"word " * 20
    if not by_http:
        page = b'<meta charset="' + charset.encode() + b'">' + page
    assert "word word" in decode_html(page, charset if by_http else "")


@given(st.binary(max_size=300), st.sampled_from(["", "utf-8", "utf-16", "big5", "nothing"]))
@settings(max_examples=150)
def test_decode_html_arbitrary_bytes_never_raise_and_give_storable_text(
    raw: bytes, charset: str
) -> None:
    text = decode_html(raw, charset)
    assert text.encode("utf-8").decode("utf-8") == text
    assert "\0" not in text
    assert "\r" not in text


@given(st.text(st.characters(), max_size=100))
@settings(max_examples=100)
def test_decode_html_arbitrary_text_gives_storable_text(raw: str) -> None:
    text = decode_html(raw)
    assert text.encode("utf-8").decode("utf-8") == text
