"""Objectives add up and take weights."""

from dataclasses import dataclass

import pytest
import torch

from endd.distributions import FullNormal, Members, Point
from endd.families import Gaussian
from endd.objectives import MomentDistillation, Objective, WeightedSum, mean_and_spread

V, TEACHER = Point(torch.zeros(3, 2)), Members(torch.zeros(4, 3, 2))


@dataclass(frozen=True)
class Constant(Objective):
    value: float

    def __call__(self, v, teacher, y=None):
        return torch.full(v.batch_shape, self.value)

    def at(self, epoch):
        return Constant(self.value + epoch)


class Forbidden(Objective):
    def __call__(self, v, teacher, y=None):
        raise AssertionError("must not be computed")


A, B = Constant(2.0), Constant(5.0)


@pytest.mark.parametrize(
    ("objective", "expected"),
    [
        (A + B, 7.0),
        (3 * A, 6.0),
        (A * 3, 6.0),
        (A + 0.5 * B, 4.5),
        (2 * (A + 0.5 * B), 9.0),
        (A + B + A, 9.0),
        (2 * (3 * A) + (B + A) * 0.5, 15.5),
    ],
)
def test_algebra(objective, expected):
    assert objective(V, TEACHER).tolist() == [expected] * 3


def test_sums_are_flat():
    assert (2 * (A + 0.5 * B)).terms == ((2.0, A), (1.0, B))


def test_a_term_of_weight_zero_is_not_computed():
    assert (A + 0 * Forbidden())(V, TEACHER).tolist() == [2.0] * 3


@pytest.mark.parametrize("objective", [0 * A, 0 * A + 0 * B, WeightedSum(())])
def test_a_sum_of_nothing_raises(objective):
    with pytest.raises(ValueError, match="at least one term with a weight other than 0, but got none"):
        objective(V, TEACHER)


def test_schedules_move_inside_a_sum():
    assert (A + 2 * B).at(10) == Constant(12.0) + 2 * Constant(15.0)


def test_an_objective_stays_the_same_unless_it_has_a_schedule():
    objective = Forbidden()
    assert objective.at(7) is objective


def test_only_objectives_add_up():
    with pytest.raises(TypeError, match="unsupported operand"):
        A + 1.0


def test_repr():
    assert repr(A + 0.1 * B) == "1 * Constant(value=2.0) + 0.1 * Constant(value=5.0)"


def test_targets_are_passed_on():
    class Target(Objective):
        def __call__(self, v, teacher, y=None):
            return y

    y = torch.tensor([1.0, 2.0, 3.0])
    assert (A + 2 * Target())(V, TEACHER, y).tolist() == [4.0, 6.0, 8.0]


def test_a_sum_is_summed_up_if_all_its_terms_are():
    family, generator = Gaussian(), torch.Generator().manual_seed(0)
    v = FullNormal.from_raw(torch.randn(3, 5, generator=generator))
    teacher = Members(torch.randn(6, 3, 2, generator=generator))
    objective = mean_and_spread(family, 0.3, MomentDistillation(family)) + 0 * Forbidden()
    torch.testing.assert_close(objective.on_summary(v, objective.summary(v, teacher)), objective(v, teacher))
    assert (objective + Constant(1.0)).summary(v, teacher) is None


def test_a_loss_of_ones_own_does_not_inherit_a_summary():
    class Doubled(MomentDistillation):
        def __call__(self, v, teacher, y=None):
            return 2 * super().__call__(v, teacher, y)

    v, teacher = Point(torch.zeros(3, 2)), Members(torch.randn(6, 3, 2))
    assert MomentDistillation(Gaussian()).summary(v, teacher) is not None
    assert Doubled(Gaussian()).summary(v, teacher) is None
