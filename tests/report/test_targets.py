"""A number and its bounds."""

import math

import pytest

from endd.report.targets import Target


def test_a_bound_is_not_rounded_away() -> None:
    assert not Target("gap", 0.0100001, high=0.01).met


def test_an_interval_must_keep_the_bound() -> None:
    assert Target("gain", 0.02, low=0, half_width=0.01).verdict == "met"
    poor = Target("gain", 0.02, low=0, half_width=0.03)
    assert (poor.verdict, poor.number) == ("missed", "0.020 ± 0.030")


@pytest.mark.parametrize(
    ("target", "number", "text"),
    [
        (Target("gap", math.nan, high=0.01), "-", "-"),
        (Target("gain", 0.02, low=0, half_width=math.nan), "0.020", "0.020"),
        (Target("share", 0.4), "0.400", "0.400"),
    ],
    ids=["no number", "no interval", "no bound"],
)
def test_what_cannot_be_judged(target: Target, number: str, text: str) -> None:
    assert (target.verdict, target.number, str(target)) == ("-", number, text)
