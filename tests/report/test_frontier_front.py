"""Which models no cheaper one beats."""

from endd.report.frontier_front import Choice, Spot, budget, family, front, ordered, size, spots
from endd.studies.statistics import estimate
from tests.report.synthetic_frontier import frontier_result, models


def spot(model: str, cost: float, score: float) -> Spot:
    return Spot(model, cost, estimate([score]))


def test_the_best_of_every_budget() -> None:
    found = [spot("a", 100, 0.5), spot("b", 200, 0.3), spot("c", 300, 0.4), spot("d", 400, 0.2)]
    assert front(found) == [Choice(100, "a"), Choice(200, "b"), Choice(400, "d")]
    assert front([]) == []


def test_what_costs_about_the_same_is_one_budget() -> None:
    found = [spot("single_1", 40_551_040, 0.4), spot("student_1", 40_557_440, 0.3)]
    assert front(found) == [Choice(41e6, "student_1")]
    assert [budget(cost) for cost in (1.0, 0.32, 99.5, 0.0301)] == [1.0, 0.32, 100.0, 0.031]


def test_of_equals_the_first_is_taken_and_stays() -> None:
    found = [spot("single_1", 100, 0.4), spot("ensemble_1", 100, 0.4), spot("single_2", 400, 0.4)]
    assert front(found) == [Choice(100, "single_1")]


def test_models_come_by_family_and_size() -> None:
    found = ordered(reversed([*models(), "other"]))
    assert found == [*models()]
    assert (family("hydra"), size("hydra"), size("student_1.5")) == ("hydra", 1.0, 1.5)


def test_spots_are_of_models_that_have_both_numbers() -> None:
    result = frontier_result()
    assert len(spots(result, "multiply_adds", "nll")) == len(models())
    assert all("single" not in found.model for found in spots(result, "parameters", "epistemic_spearman"))
    looped = [found.model for found in spots(result, "ms_a_row_loop@1", "nll")]
    assert looped == ["ensemble_2", "ensemble_3", "ensemble_5", "ensemble_10"]
