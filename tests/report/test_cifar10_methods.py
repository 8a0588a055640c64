"""Methods as figures show them."""

from endd.report.cifar10_methods import DISTILLERS, FIGURE3, METHODS, REFERENCE, present
from endd.report.cifar10_scores import BOTH_SIDES


def test_colours_are_of_one_method() -> None:
    # the two forms of a student's covariance never meet: one of them is the distilled student
    shown = [method.color for name, method in METHODS.items() if name != "distilled_low_rank"]
    assert len({*shown, REFERENCE.color}) == len(shown) + 1


def test_order_is_of_the_table_not_of_the_records() -> None:
    assert [*present(["distilled", "ensemble", "another", "single"])] == ["single", "ensemble", "distilled"]


def test_figure_3_and_the_distillers_hold_every_method() -> None:
    # one of the two forms of covariance is the distilled student, the other one is among the distillers
    assert {*FIGURE3, *DISTILLERS} == {*METHODS} - {*BOTH_SIDES}  # the members asked twice are no other method
    assert [*present(["hydra", "single", "distilled"], DISTILLERS)] == ["hydra", "distilled"]
