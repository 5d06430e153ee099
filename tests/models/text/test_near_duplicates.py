from __future__ import annotations

import random
import re
import struct
import subprocess
import sys
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmill.models.text.near_duplicates import band_keys, has_details, signature, similarities

THRESHOLD = 0.8

VOCABULARY = [a + b + c for a in "bdfgklmnprst" for b in ("a", "ei", "o", "u") for c in "lmnrst"]

PINNED_MINIMA = (3235234173, 3333927498, 1240764988, 3256933875)
PINNED_DETAILS = (
    1011183078,
    1191496837,
    1330857165,
    1648401161,
    2359942348,
    2403957727,
    2455366063,
    3081106212,
    3377092018,
    4175130761,
)
PINNED_KEYS = [913122997507699328, 6022837573013501541]


def similarity(a: bytes, b: bytes) -> float:
    return float(similarities([a], [b])[0])


def is_covered(by: bytes, covered: bytes) -> bool:
    """As pages are compared: only texts that share a band are, so never one without words."""
    return similarity(by, covered) >= THRESHOLD and has_details(by, covered)


def made_text(seed: int, words: int) -> list[str]:
    rng = random.Random(seed)
    return [rng.choice(VOCABULARY) for _ in range(words)]


def edited(words: list[str], share: float, seed: int) -> list[str]:
    """The text with a share of its words replaced, left out or doubled."""
    rng = random.Random(seed)
    result: list[str] = []
    for word in words:
        change = rng.random() < share
        result += rng.choice([[], [word, word], [rng.choice(VOCABULARY)]]) if change else [word]
    return result


def exact_jaccard(a: list[str], b: list[str]) -> float:
    """Plainly: common runs of five words by all runs of five words."""
    runs_a = {tuple(a[i : i + 5]) for i in range(len(a) - 4)}
    runs_b = {tuple(b[i : i + 5]) for i in range(len(b) - 4)}
    return len(runs_a & runs_b) / len(runs_a | runs_b)


def meet(a: bytes, b: bytes) -> bool:
    return bool(set(band_keys(a)) & set(band_keys(b)))


def test_signature_is_the_same_in_every_process_and_release() -> None:
    text = "The keeper of Skerrow Point lit the lamp in 1879, and 12 boats came back. " * 3
    made = signature(text)
    minima = struct.unpack_from("<4I", made)
    assert minima == PINNED_MINIMA
    assert struct.unpack_from(f"<{len(made) // 4 - 128}I", made, 512) == PINNED_DETAILS
    assert band_keys(made)[:2] == PINNED_KEYS
    module = "factmill.models.text.near_duplicates"
    code = f"from {module} import signature; print(signature({text!r}).hex())"
    for seed in ("1", "2"):
        other = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
        )  # fmt: skip
        assert other.stdout.strip() == made.hex()


@pytest.mark.parametrize("share", [0.01, 0.03, 0.05, 0.1])
def test_similarity_estimates_the_exact_jaccard_of_word_runs(share: float) -> None:
    errors = []
    for seed in range(40):
        words = made_text(seed, 300)
        other = edited(words, share, seed + 1000)
        estimate = similarity(signature(" ".join(words)), signature(" ".join(other)))
        errors.append(estimate - exact_jaccard(words, other))
    assert abs(sum(errors) / len(errors)) < 0.02
    assert max(map(abs, errors)) < 0.15


def test_planted_near_duplicates_are_found_and_others_are_not() -> None:
    texts = [made_text(seed, 200) for seed in range(60)]
    planted = [edited(words, 0.01 * (1 + i % 10), 7 * i) for i, words in enumerate(texts)]
    every = texts + planted
    signatures = [signature(" ".join(words)) for words in every]
    exact = {
        pair: exact_jaccard(every[pair[0]], every[pair[1]])
        for pair in combinations(range(len(every)), 2)
    }
    found = {
        (a, b)
        for a, b in exact
        if meet(signatures[a], signatures[b]) and is_covered(signatures[a], signatures[b])
    }
    clear = {pair for pair, jaccard in exact.items() if jaccard >= THRESHOLD + 0.1}
    assert len(clear) >= 5
    assert clear <= found
    assert all(exact[pair] >= THRESHOLD - 0.12 for pair in found)


def test_band_keys_nearly_all_pairs_at_the_threshold_meet_and_distant_ones_do_not() -> None:
    near = distant = met_near = met_distant = 0
    for seed in range(300):
        words = made_text(seed, 150)
        for share in (0.02, 0.3):
            other = edited(words, share, seed + 5000)
            jaccard = exact_jaccard(words, other)
            met = meet(signature(" ".join(words)), signature(" ".join(other)))
            if jaccard >= THRESHOLD:
                near, met_near = near + 1, met_near + met
            elif jaccard < 0.2:
                distant, met_distant = distant + 1, met_distant + met
    assert near > 80
    assert met_near / near > 0.98
    assert distant > 80
    assert met_distant / distant < 0.05


def test_corpus_without_duplicates_gives_none() -> None:
    signatures = [signature(" ".join(made_text(seed, 120))) for seed in range(200)]
    keys = [key for made in signatures for key in band_keys(made)]
    assert len(set(keys)) == len(keys) == 200 * 21


TEMPLATE = (
    "{name} is a village and former municipality in the district of Locarno in the canton of"
    " Ticino. In {year} the municipality merged with its neighbours to form a new and larger"
    " municipality on the shore of the lake, where most of the people live from tourism, fishing"
    " and the small harbour that was built when the railway came. The school has {pupils} pupils,"
    " and the church of the village stands on a hill above the old mill by the river."
)


@pytest.mark.parametrize(
    "change", [{"name": "Caviano"}, {"year": "2011"}, {"pupils": "46"}, {"year": "२०१०"}]
)
def test_is_covered_pages_of_one_template_with_other_facts_stay(change: dict[str, str]) -> None:
    facts = {"name": "Piazzogna", "year": "2010", "pupils": "45"}
    one = signature(TEMPLATE.format(**facts))
    other = signature(TEMPLATE.format(**facts | change))
    assert similarity(one, other) > THRESHOLD
    assert not is_covered(one, other)
    assert not is_covered(other, one)


def test_is_covered_neighbours_that_mention_each_other_stay() -> None:
    text = (
        "{0} is a village and former municipality in the district. The municipalities of Caviano,"
        " Indemini and Piazzogna merged with others into a new and larger municipality on the"
        " shore of the lake, where most of the people live from tourism and from fishing. The"
        " school stands on a hill above the old mill by the river."
    )
    one, other = signature(text.format("Caviano")), signature(text.format("Indemini"))
    assert similarity(one, other) > THRESHOLD
    assert not is_covered(one, other)
    assert not is_covered(other, one)


def test_is_covered_page_with_a_fact_more_covers_the_one_without() -> None:
    text = TEMPLATE.format(name="Piazzogna", year="2010", pupils="45")
    short, long = signature(text), signature(text + " Its mayor is Anna Rossi.")
    assert is_covered(long, short)
    assert not is_covered(short, long)
    assert len(long) > len(short)


def test_is_covered_same_words_in_other_dress_cover_each_other() -> None:
    text = TEMPLATE.format(name="Piazzogna", year="2010", pupils="45")
    for other in (
        text.replace(" ", "\n"),
        text.replace(",", " –").replace(".", "…"),
        text.replace(" ", "\xa0"),
        text.replace("2010", "２０１０"),
        "“" + text + "”",
    ):
        assert similarity(signature(text), signature(other)) == 1.0
        assert is_covered(signature(text), signature(other))
        assert is_covered(signature(other), signature(text))


def test_short_texts_are_duplicates_only_when_all_their_words_are_the_same() -> None:
    text = "the lamp was lit every evening before the boats came back to the harbour"
    assert similarity(signature(text), signature(text + ".")) == 1.0
    assert similarity(signature(text), signature(text + " again")) < 0.1
    assert not meet(signature(text), signature(text + " again"))


def test_signature_text_without_words_is_like_nothing() -> None:
    for empty in ("", " \n", "... — !", "\0"):
        assert signature(empty) == b""
        assert band_keys(signature(empty)) == []


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("看守人每天晚上爬上楼梯，在渔船回来之前点亮灯塔上的灯。然后他坐下来写日记，记录天气和过往的船只。"
         "冬天的风很大，海浪常常打到窗户上，他却从来没有离开过这座小岛，也没有想过要离开。",
         "冬天", "秋天"),
        ("灯台守は毎晩階段を上り、漁船が港に戻ってくる前に明かりをともした。それから机に向かって日記を書き、"
         "天気と通り過ぎた船のことを記録した。冬の風はとても強く、波はしばしば窓まで届いた。",
         "冬の", "秋の"),
        ("ผู้ดูแลประภาคารขึ้นบันไดทุกเย็นและจุดตะเกียงก่อนที่เรือประมงจะกลับมาถึงท่าเรือ"
         "จากนั้นเขาก็นั่งลงเขียนบันทึกเกี่ยวกับสภาพอากาศและเรือที่แล่นผ่านไปในทะเล", "ทุกเย็น", "ทุกคืน"),
    ],
)  # fmt: skip
def test_signature_texts_without_blanks_are_compared_by_characters(
    text: str, old: str, new: str
) -> None:
    assert 0.6 < similarity(signature(text), signature(text.replace(old, new))) < 1.0
    turned = text[len(text) // 2 :] + text[: len(text) // 2]
    assert similarity(signature(text), signature(turned)) > 0.8
    assert similarity(signature(text), signature(text[::-1])) < 0.1


def test_signature_long_text_keeps_its_size_and_covers_itself() -> None:
    words = [word.title() for word in made_text(1, 50_000)] + [str(i) for i in range(50_000)]
    made = signature(" ".join(words))
    assert len(made) == 1024
    assert is_covered(made, made)
    assert not is_covered(signature(" ".join([*words[:-5000], *made_text(2, 5000)])), made)


@given(st.text(st.characters(), max_size=200))
@settings(max_examples=150)
def test_signature_any_text_gives_a_signature_like_itself(text: str) -> None:
    made = signature(text)
    assert made == signature(text)
    assert len(band_keys(made)) == (21 if made else 0)
    assert all(0 <= key < 2**63 for key in band_keys(made))
    assert not made or is_covered(made, made)
    if re.search("[a-z]", text):
        assert made


def test_similarities_are_those_of_the_pairs() -> None:
    words = [made_text(seed, 60) for seed in range(4)]
    words += [edited(text, 0.05, 1) for text in words]
    made = [signature(" ".join(text)) for text in words]
    others = [*made[4:], *made[3:], made[0]][:8]
    expected = [
        sum(a[at : at + 4] == b[at : at + 4] for at in range(0, 512, 4)) / 128
        for a, b in zip(made, others, strict=True)
    ]
    assert similarities(made, others).tolist() == expected
    assert len({round(value, 3) for value in expected}) > 2
    assert similarities([], []).tolist() == []
