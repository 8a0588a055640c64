"""The moment objective against the moments themselves."""

import pytest
import torch

import endd
from endd.integrals import marginal
from endd.objectives import MixtureDistillation, MomentDistillation

FAMILY = endd.families.Gaussian().in_units(3.0, 2.0)
TEACHER = endd.Members(torch.randn(6, 4, 2, dtype=torch.double, generator=torch.Generator().manual_seed(1)))


def normal(loc: torch.Tensor) -> endd.FullNormal:
    tril = torch.tensor([[0.3, 0.0], [0.2, 0.5]], dtype=torch.double)
    return endd.FullNormal(loc, tril.expand(4, 2, 2))


def test_a_point_student_has_the_mixture_objective() -> None:
    v = endd.Point(torch.randn(4, 2, dtype=torch.double))
    torch.testing.assert_close(MomentDistillation(FAMILY)(v, TEACHER), MixtureDistillation(FAMILY)(v, TEACHER))


def test_a_density_is_judged_by_the_moments_of_its_marginal() -> None:
    v = normal(torch.randn(4, 2, dtype=torch.double))
    student, mixture = marginal(FAMILY, v), marginal(FAMILY, TEACHER)
    matched = torch.distributions.Normal(student.mean, student.variance.sqrt())
    # -E log of a normal needs only the first two moments of what y is drawn from
    expected = -matched.log_prob(mixture.mean) + mixture.variance / (2 * student.variance)
    torch.testing.assert_close(MomentDistillation(FAMILY)(v, TEACHER), expected, rtol=1e-4, atol=1e-5)


def test_it_is_least_where_mean_and_variance_are_the_teachers() -> None:
    loc = torch.zeros(4, 2, dtype=torch.double, requires_grad=True)
    optimiser = torch.optim.LBFGS([loc], max_iter=100, line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        optimiser.zero_grad()
        loss: torch.Tensor = MomentDistillation(FAMILY)(normal(loc), TEACHER).sum()
        loss.backward()  # type: ignore[no-untyped-call]
        return loss

    optimiser.step(closure)
    student, mixture = marginal(FAMILY, normal(loc.detach())), marginal(FAMILY, TEACHER)
    assert student.mean == pytest.approx(mixture.mean, rel=1e-3)
    assert student.variance == pytest.approx(mixture.variance, rel=1e-2)


def test_two_numbers_sum_up_the_members() -> None:
    objective, v = MomentDistillation(FAMILY), normal(torch.randn(4, 2, dtype=torch.double))
    summary = objective.summary(v, TEACHER)
    mixture = marginal(FAMILY, TEACHER)
    torch.testing.assert_close(summary, (mixture.mean, mixture.variance))
    torch.testing.assert_close(objective.on_summary(v, summary), objective(v, TEACHER))
