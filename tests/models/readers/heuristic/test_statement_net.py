"""The network of statements, with weights that can be checked by hand, and the packaged one."""

import numpy as np

from factmill.models.readers.heuristic.statement_net import (
    MARKS,
    MAX_WORDS,
    StatementNet,
    spelling_marks,
    statement_net,
)

SIZE = 2


def _net(**changed: object) -> StatementNet:
    """Passes the vectors of "lamp" (3) and "oslo" (5) through: the score is their sum, maximum and
    mean over words.
    """

    def middle(inputs: int) -> np.ndarray:
        weights = np.zeros((3 * inputs, 1), np.float32)
        weights[inputs] = 1
        return weights

    weights: dict[str, object] = {
        "vocabulary": {"lamp": 0, "oslo": 1},
        "vectors": np.array([[3, 0], [5, 0]], np.int8),
        "scale": np.ones(SIZE, np.float32),
        "first": middle(SIZE + MARKS), "first_bias": np.zeros(1, np.float32),
        "second": middle(1), "second_bias": np.zeros(1, np.float32),
        "hidden": np.ones((2, 1), np.float32), "hidden_bias": np.zeros(1, np.float32),
        "out": np.ones(1, np.float32), "out_bias": np.array([-4], np.float32),
    }  # fmt: skip
    return StatementNet(**(weights | changed))  # type: ignore[arg-type]


def test_score_is_maximum_and_mean_of_what_the_words_give() -> None:
    assert _net().score("Lamp") == 3 + 3 - 4
    assert _net().score("lamp Oslo") == 5 + 4 - 4
    assert _net().score("lamp and Oslo") == round(5 + 8 / 3 - 4, 3)


def test_convolution_sees_the_neighbours_and_zeros_beyond_the_ends() -> None:
    before = np.zeros((3 * (SIZE + MARKS), 1), np.float32)
    before[0] = 1
    assert _net(first=before).score("Oslo lamp") == 5 + 2.5 - 4  # 0 before "Oslo", 5 before "lamp"


def test_score_is_bounded_and_a_text_without_words_has_none() -> None:
    assert _net(out_bias=np.array([90], np.float32)).score("lamp") == 6
    assert _net().score(" ") == 0


def test_words_beyond_the_last_do_not_count() -> None:
    assert _net().score("and " * MAX_WORDS + "Oslo") == -4


def test_marks_say_how_a_word_is_spelt() -> None:
    assert spelling_marks(["The", "NATO", "5", "."]).tolist() == [
        [1, 0, 0, 0, 1, 1], [1, 1, 0, 0, 1, 0], [0, 0, 1, 0, 1, 0], [0, 0, 0, 1, 1, 0],
    ]  # fmt: skip


def test_packaged_network_tells_facts_from_fragments_and_talk() -> None:
    facts = (
        "Oslo Airport was opened in 1998 and is the largest airport in Norway.",
        "Insulin is a hormone that regulates the level of sugar in the blood.",
    )
    others = (
        "Another big reason why the other one is so much better than this.",
        "That said, nothing beats the feeling of finally getting it right.",
    )
    score = statement_net().score
    assert min(map(score, facts)) > max(map(score, others))
