"""What must hold before a student may replace its ensemble."""

import math

import pytest

from endd.studies.policy import DEFAULT, check_policy, parse_policy

NUMBERS = {"kl_teacher": 0.1, "kl_reference": 0.2, "rejection_overlap@10": 0.7, "unknown": math.nan}


def test_numbers_against_values_and_each_other() -> None:
    checks = check_policy(
        parse_policy("kl_teacher<=kl_reference, rejection_overlap@10 >= 0.8,kl_teacher>=1e-1"), NUMBERS
    )
    assert [check.met for check in checks] == [True, False, True]
    assert (checks[1].value, checks[1].bound) == (0.7, 0.8)


def test_what_is_no_number_meets_nothing() -> None:
    assert [check.met for check in check_policy(parse_policy("unknown<=1, unknown>=0"), NUMBERS)] == [False, False]


@pytest.mark.parametrize("text", ["", "kl_teacher", "kl_teacher=1", "kl_teacher<1", "<=1", "a<=b c", "a<=1,"])
def test_what_cannot_be_read_is_named(text: str) -> None:
    with pytest.raises(ValueError, match="Expected requirements such as"):
        parse_policy(text)


@pytest.mark.parametrize("text", ["beauty<=1", "kl_teacher<=beauty"])
def test_names_that_are_not_there_are_named(text: str) -> None:
    with pytest.raises(ValueError, match="'beauty'"):
        check_policy(parse_policy(text), NUMBERS)


@pytest.mark.parametrize(("ratio", "met"), [(0.5, False), (0.9, True), (1.2, True), (6.7, False)])
def test_by_default_ignorance_is_to_have_the_right_size(ratio: float, met: bool) -> None:
    names = ("kl_teacher", "kl_reference", "epistemic_spearman", "epistemic_spearman_reference")
    numbers = {**dict.fromkeys(names, 0.5), "epistemic_ratio": ratio}
    assert all(check.met for check in check_policy(parse_policy(DEFAULT), numbers)) == met
