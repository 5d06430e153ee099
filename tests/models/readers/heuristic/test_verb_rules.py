"""Each rule for the finite verb, by the example that stands beside it."""

import pytest

from factmill.models.readers.heuristic.lexicon import words_of
from factmill.models.readers.heuristic.verb_rules import VERB_RULES, VerbRule, find_verb

each_rule = pytest.mark.parametrize("rule", VERB_RULES, ids=lambda rule: rule.name)


def verb_of(sentence: str, rules: tuple[VerbRule, ...] = VERB_RULES) -> tuple[str, bool]:
    words = words_of(sentence)
    index, sure = find_verb(words, 0, rules)
    return ("" if index is None else words[index].low), sure


@each_rule
def test_find_verb_of_the_rules_example(rule: VerbRule) -> None:
    assert verb_of(rule.example)[0] == rule.verb


@each_rule
def test_find_verb_without_the_rule_reads_its_example_otherwise(rule: VerbRule) -> None:
    others = tuple(other for other in VERB_RULES if other is not rule)
    assert verb_of(rule.example, others) != verb_of(rule.example)


def test_find_verb_of_a_pronoun_stands_behind_adverbs_only() -> None:
    assert verb_of("She often wrote letters.") == ("wrote", True)
    assert verb_of("She and Tom wrote letters.")[0] == ""
