"""The training of the judge of statements."""

import numpy as np

from tests.benchmarks.bench_facts import Excerpt, Judged
from tests.benchmarks.train_unit_judge import Example, examples, fit, threshold_for


def test_threshold_is_the_lowest_that_reaches_the_precision() -> None:
    odds = np.array([4.0, 3.0, 2.0, 1.0, 0.0])
    right = np.array([True, True, False, True, False])
    assert threshold_for(0.75, odds, right) == 1.0
    assert threshold_for(1.0, odds, right) == 3.0
    assert threshold_for(1.0, odds, np.zeros(5, bool)) == np.inf


def test_judge_that_is_fitted_tells_right_from_wrong() -> None:
    judged = [Example(f"s{i}", "product", {"names": float(i % 2)}, i % 2 == 1) for i in range(40)]
    judge = fit(judged)
    assert judge.log_odds({"names": 1.0}) > judge.log_odds({})


def test_feature_of_few_units_has_no_weight() -> None:
    judged = [Example("s", "product", {"names": 1.0}, i > 5) for i in range(30)]
    seldom = [Example("s", "product", {"seldom": 1.0}, True) for _ in range(9)]
    assert set(fit(judged + seldom).weights) == {"names"}


def test_examples_are_statements_that_the_judge_judges_of_which_the_text_beside_is_known() -> None:
    def judged(
        before: str | None, answer: str, rule: str, kind: str = "article", web: bool = False
    ) -> Judged:
        excerpt = Excerpt(
            "https://a.example/b", "Oslo", "", "text", "Oslo is old.", kind, before, "", web
        )
        return Judged(excerpt, "Oslo is old.", answer, True, "", False, (rule,))

    found = examples(
        [
            judged("It is said. ", "", "whole"),
            judged("", "", "whole", "", web=True),  # a web page of uncertain kind
            judged("", "", "whole", ""),  # a passage of a corpus
            judged(None, "", "whole"),
            judged("", "1048", "whole"),
            judged("", "", "key_line"),
            judged("", "", "whole", "forum"),
        ]
    )
    assert [(one.site, one.kind) for one in found] == [("a.example", "article"), ("a.example", "")]
