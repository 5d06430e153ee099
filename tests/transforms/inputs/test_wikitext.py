from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmill.transforms.inputs.wikitext import wikitext_to_text

DROPPED = frozenset({"file", "image", "category", "datei"})


def _text(wikitext: str) -> str:
    return wikitext_to_text(wikitext, DROPPED)


@pytest.mark.parametrize(
    ("wikitext", "text"),
    [
        ("'''Skerrow''' is a ''rock''.", "Skerrow is a rock."),
        ("a [[Port Elland]], the [[ferry|ferries]]es", "a Port Elland, the ferrieses"),
        ("[[:Category:Rocks]] and [[Port (town)|Port]]", "Category:Rocks and Port"),
        ("x [[File:A.jpg|thumb|A [[rock]] in [[the sea|sea]]]] y", "x y"),
        ("x [[datei: A.jpg]][[Category:Rocks|*]] y", "x y"),
        ("It ({{lang|a|{{b}}}}; {{c}}) is{{efn|x [[y]]}} old.", "It is old."),
        ("a<ref name=x>{{cite|title=b}}</ref> b<ref name=x /> c<ref name='y'/> d", "a b c d"),
        ("It is {{convert|330|m|ft|abbr=on}} tall.", "It is 330 m tall."),
        ("{{cvt|10|to|15|km}}, {{convert|5|ft|7|in|cm|0}}", "10 to 15 km, 5 ft 7 in"),
        ("The {{lang|fr|[[Tour]] Eiffel}} of {{Circa|1889}}", "The Tour Eiffel of c. 1889"),
        (
            "by {{nowrap|G. Eiffel}}, 10{{sup|7}} kg, the 4{{sup|th}}",
            "by G. Eiffel, 10^7 kg, the 4th",
        ),
        (
            "{{US$|1.5 billion|1999}}, {{USD|long=no|5}}, {{INRConvert|10|c}}, {{Currency|10|USD}}",
            "US$1.5 billion, US$5, ₹10 crore, 10 USD",
        ),
        (
            "{{convert|5|x|4|x|3|m}}, {{cvt|1.5|e6acre}}, {{convert|-5|C}}, {{convert|12|+1/2|in}}",
            "5 x 4 x 3 m, 1.5 million acre, -5 °C, 12+1/2 in",
        ),
        (
            "{{val|1.5|e=6|ul=kg}}, 3{{frac|1|2}}, {{1/2}}{{nowrap|1=a = b}}",
            "1.5×10^6 kg, 3 1/2, a = b",
        ),
        (
            "''Ann''{{'s}} {{birth date|1950|1|2|df=y}}, {{As of|2020|lc=y}}, {{Start date|1999}}",
            "Ann’s 2 January 1950, as of 2020, 1999",
        ),
        (
            "{{HMS|Ann|1900}}, {{ship||Bo}}, {{langx|de|Wien}}, {{transl|ru|Wena}}",
            "HMS Ann, Bo, Wien, Wena",
        ),
        ("a {{nowrap}} {{nowrap|" + 300 * "x" + "}}b", "a b"),
        ("a <!-- no\n{{ --> b", "a b"),
        ("a <!-- to the end", "a"),
        ("a <b>b</b><br/>c<span style='x'>d</span>", "a b\ncd"),
        ("a <nowiki>[[b]]</nowiki> <math>{{x|</math> c", "a [[b]] {{x| c"),
        ("a <Math>b</Math> c <score>d</SCORE> e", "a b c e"),
        ("a <hiero>b</center> c</hiero > d", "a d"),
        ("where <math>\n f''(x)^2\n</math> is <math>" + 301 * "x" + "</math>", "where f′′(x)^2 is"),
        ("10<sup>6</sup> m<sup>2</sup>, the 4<sup>th</sup>", "10^6 m2, the 4th"),
        ("({{lang-ru|Скала}}; {{IPA|x}}), ({{IPA|x}}, a, {{b}})", "(Скала), (a)"),
        ("see [https://a.example/x the site] or [https://a.example/]", "see the site or"),
        ("a &amp; b&nbsp;c &lt;d&gt;", "a & b c <d>"),
        ("__NOTOC__\n* one\n** two\n# three\n; four", "one\ntwo\nthree\nfour"),
        ("a\n{| class=x\n! h\n|-\n| b {{c|}} || [[d]]\n|}\ne", "a\ne"),
        ("a\n{|\n|\n{|\n| inner\n|}\n|}\ne", "a\ne"),
        ("{{Infobox\n|name=a\n|}}\ntext", "text"),
        ("a <table><tr><td>b</td></tr></table> c", "a c"),
    ],
)
def test_wikitext_to_text_leaves_the_text_of(wikitext: str, text: str) -> None:
    assert _text(wikitext) == text


def test_wikitext_to_text_headings_are_lines_unless_nothing_is_below_them() -> None:
    wikitext = "Lead.\n== A ==\n=== B ===\n{{x}}\n===Light===\nLit.\n==Notes==\n<references/>"
    assert _text(wikitext) == "Lead.\nA\nLight\nLit."


@pytest.mark.parametrize(
    ("wikitext", "text"),
    [
        ("a {{b [[c]] d", "a b c d"),
        ("a }} b ]] c |} d", "a b c |} d"),
        ("a [[b {{c]] d}} e", "a b c d e"),
        ("a <ref>b\n\nc", "a b\nc"),
        ("a\n{| x\n| b\n! c\nd", "a\nx\nd"),
        ("a <math>b", "a b"),
    ],
)
def test_wikitext_to_text_what_is_never_closed_does_not_cost_the_page(
    wikitext: str, text: str
) -> None:
    assert _text(wikitext) == text


@pytest.mark.parametrize(
    "repeated",
    [
        "{{", "}}", "[[", "{{a|[[", "[[a|", "<b>", "<ref>", "<nowiki>", "<math>", "<div ", "<!--",
        "[http://a ", "[//a", "[//a" + " " * 50, "'''a''b", "{|\n|", "\n|}", "(,", "&a", "=a=\n",
        "{{nowrap|", "*#:;", "__A", "</ref>", "\n= a",
    ],
)  # fmt: skip
def test_wikitext_to_text_hostile_text_takes_linear_time(repeated: str) -> None:
    assert isinstance(_text(repeated * (400_000 // len(repeated))), str)


def test_wikitext_to_text_deeply_nested_links_take_linear_time() -> None:
    assert "x" * 400_000 in _text("[[" * 300_000 + "x" * 400_000 + "]]" * 300_000)


@given(st.lists(st.sampled_from("{{ }} [[ ]] {| |} | <ref> </ref> = \n a".split(" "))).map("".join))
@settings(max_examples=300)
def test_wikitext_to_text_any_brackets_never_raise(wikitext: str) -> None:
    assert not {line for line in _text(wikitext).split("\n") if line != line.strip()}
