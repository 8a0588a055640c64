"""Schedules have exact values."""

import pytest

from endd.training.schedules import SCHEDULES, Constant, OneCycle, PowerSteps, as_schedule


def test_constant_is_one() -> None:
    assert [Constant()(step, 100, 10) for step in (0, 50, 99)] == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(("step", "factor"), [(0, 0.04), (15, 0.52), (30, 1.0), (65, 0.5), (100, 0.0), (120, 0.0)])
def test_one_cycle_rises_along_a_cosine_and_ends_at_zero(step: int, factor: float) -> None:
    assert OneCycle()(step, 100, 10) == pytest.approx(factor, abs=1e-12)


def test_one_cycle_has_one_peak() -> None:
    factors = [OneCycle(warm=0.2, start=0.1)(step, 50, 5) for step in range(51)]
    assert factors[:11] == sorted(factors[:11])
    assert factors[10:] == sorted(factors[10:], reverse=True)
    assert (min(factors), max(factors)) == (0.0, 1.0)


@pytest.mark.parametrize("total", [1, 2, 3])
def test_one_cycle_is_defined_on_the_shortest_run(total: int) -> None:
    assert all(0 <= OneCycle()(step, total, 1) <= 1 for step in range(total + 1))


@pytest.mark.parametrize(("epoch", "k"), [(0, 1), (19, 1), (20, 2), (39, 2), (40, 3), (199, 10)])
def test_power_steps_fall_every_twenty_epochs(epoch: int, k: int) -> None:
    per_epoch = 7
    for step in (epoch * per_epoch, epoch * per_epoch + per_epoch - 1):
        assert PowerSteps()(step, 10_000, per_epoch) == pytest.approx(k**-0.8)


@pytest.mark.parametrize("name", SCHEDULES)
def test_a_name_stands_for_a_schedule(name: str) -> None:
    assert as_schedule(name) is SCHEDULES[name]


def test_a_function_is_a_schedule() -> None:
    def own(step: int, total: int, per_epoch: int) -> float:
        return 1 / (1 + step)

    assert as_schedule(own) is own


def test_an_unknown_schedule_is_named() -> None:
    with pytest.raises(ValueError, match=r"`schedule` to be one of 'constant', 'one_cycle', 'power_steps'.*'cosine'"):
        as_schedule("cosine")
