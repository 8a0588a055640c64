"""-mean_j log v(z_j), and its sum with the mixture objective."""

import pytest
import torch

from endd.distributions import DiagonalNormal, Dirichlet, FullNormal, LowRankNormal, Members, ModuloShift, Point
from endd.families import Categorical, Gaussian
from endd.objectives import DistributionDistillation, MixtureDistillation, mean_and_spread
from endd.objectives.distribution import moments_of

M, B, P = 6, 4, 3
GENERATOR = torch.Generator().manual_seed(0)
Z = torch.randn(M, B, P, generator=GENERATOR, dtype=torch.float64)
WEIGHTS = torch.rand(M, generator=GENERATOR, dtype=torch.float64)
TEACHERS = [Members(Z), Members(Z, WEIGHTS / WEIGHTS.sum())]
FORMS = [DiagonalNormal, FullNormal, LowRankNormal.of(rank=2), ModuloShift.of(FullNormal), Dirichlet]


@pytest.mark.parametrize("teacher", TEACHERS, ids=["equal", "weighted"])
@pytest.mark.parametrize("form", FORMS, ids=repr)
def test_loss_is_the_plain_loop(form, teacher):
    v = form.from_raw(torch.randn(B, form.raw_size(P), generator=torch.Generator().manual_seed(3), dtype=torch.float64))
    expected = -sum(w * v.log_prob(z) for w, z in zip(teacher.weights, teacher.atoms, strict=True))
    torch.testing.assert_close(DistributionDistillation()(v, teacher), expected)


@pytest.mark.parametrize("teacher", TEACHERS, ids=["equal", "weighted"])
def test_loss_is_least_at_the_members_population_moments(teacher):
    mean = teacher.mean.requires_grad_()
    residual = teacher.atoms - mean
    S = torch.einsum("m,mbp,mbq->bpq", teacher.weights, residual, residual)
    L = torch.linalg.cholesky(S.detach()).requires_grad_()
    loss = DistributionDistillation()(FullNormal(mean, L), teacher).sum()
    slopes = torch.autograd.grad(loss, [mean, L])
    assert slopes[0].abs().max() < 1e-8
    assert slopes[1].tril().abs().max() < 1e-8


def test_a_teacher_of_one_point_will_do():
    v = DiagonalNormal(Z[0], torch.ones_like(Z[0]))
    torch.testing.assert_close(DistributionDistillation()(v, Point(Z[1])), -v.log_prob(Z[1]))


def test_a_point_student_is_sent_to_the_mixture_objective():
    with pytest.raises(TypeError, match=r"Point has no density .*MixtureDistillation"):
        DistributionDistillation()(Point(Z[0]), TEACHERS[0])


def test_a_bare_tensor_is_no_teacher():
    with pytest.raises(TypeError, match=r"the teacher's endd\.Members\(z\), but got a float64 tensor of shape"):
        DistributionDistillation()(DiagonalNormal(Z[0], torch.ones_like(Z[0])), Z)


@pytest.mark.parametrize("z", [Z[:, :1], Z[..., :2]], ids=["inputs", "parameters"])
def test_teacher_and_student_must_agree(z):
    with pytest.raises(ValueError, match=r"over the same inputs and parameters, but got Members\(.*DiagonalNormal\("):
        DistributionDistillation()(DiagonalNormal(Z[0], torch.ones_like(Z[0])), Members(z))


@pytest.mark.parametrize("weight", [0.0, 0.3, 1.0])
def test_mean_and_spread_is_the_weighted_sum(weight):
    family, teacher = Categorical(P), TEACHERS[1]
    v = ModuloShift(DiagonalNormal(Z[0], torch.ones_like(Z[0])))
    spread, mean = DistributionDistillation()(v, teacher), MixtureDistillation(family)(v, teacher)
    expected = (1 - weight) * spread / P + weight * mean
    torch.testing.assert_close(mean_and_spread(family, weight)(v, teacher), expected)


def test_mean_and_spread_with_all_the_weight_on_the_mean_takes_a_point():
    family, teacher = Gaussian(), Members(Z[..., :2])
    v = Point(Z[0, :, :2])
    torch.testing.assert_close(mean_and_spread(family, 1.0)(v, teacher), MixtureDistillation(family)(v, teacher))


@pytest.mark.parametrize("weight", [-0.1, 1.1])
def test_mean_and_spread_refuses_other_weights(weight):
    with pytest.raises(ValueError, match=rf"`weight` from 0 \(spread\) to 1 \(mean\), but got {weight}"):
        mean_and_spread(Gaussian(), weight)


@pytest.mark.parametrize("teacher", TEACHERS, ids=["equal", "weighted"])
@pytest.mark.parametrize("form", FORMS[:3], ids=repr)
def test_a_normal_needs_only_a_summary_of_the_members(form, teacher):
    raw = torch.randn(B, form.raw_size(P), generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    raw.requires_grad_()
    losses = DistributionDistillation()(form.from_raw(raw), teacher)
    objective, v = DistributionDistillation(), form.from_raw(raw)
    summed_up = objective.on_summary(v, objective.summary(v, teacher))
    torch.testing.assert_close(summed_up, losses)
    torch.testing.assert_close(*(torch.autograd.grad(loss.sum(), raw)[0] for loss in (summed_up, losses)))


@pytest.mark.parametrize("form", FORMS[3:], ids=repr)
def test_other_densities_need_the_members(form):
    v = form.from_raw(torch.zeros(B, form.raw_size(P)))
    assert DistributionDistillation().summary(v, TEACHERS[0]) is None


def test_few_members_are_their_own_summary():
    v = DiagonalNormal(Z[0], torch.ones_like(Z[0]))
    assert DistributionDistillation().summary(v, Members(Z[: P + 1])) is None


def test_the_factor_of_members_that_all_but_agree_keeps_its_digits():
    z = (1000 + 1e-3 * Z.float()).requires_grad_(False)
    mean, factor = moments_of(Members(z))
    residual = z.double() - z.double().mean(0)
    expected = torch.einsum("mbp,mbq->bpq", residual, residual) / M
    torch.testing.assert_close((factor @ factor.mT).double(), expected, rtol=1e-5, atol=1e-12)
    assert torch.equal(mean, z.double().mean(0).float())


def test_equal_members_have_the_factor_zero():
    _, factor = moments_of(Members(Z[:1].expand(5, B, P)))
    assert factor.abs().max() < 1e-12
