"""The cross-entropy of the student's marginal under the teacher's, against brute force."""

import itertools
import math

import numpy as np
import pytest
import torch
from scipy import integrate, special, stats

from endd.distributions import Dirichlet, FullNormal, Members, Point
from endd.families import Bernoulli, Categorical, Family, Gaussian, MultivariateGaussian, Poisson
from endd.integrals import marginal
from endd.objectives import MixtureDistillation

M, B = 5, 3
WEIGHTS = torch.tensor([0.1, 0.3, 0.2, 0.25, 0.15], dtype=torch.float64)


@pytest.fixture
def numbers():
    generator = torch.Generator().manual_seed(0)
    return lambda *shape: torch.randn(*shape, generator=generator, dtype=torch.float64)


def mixture_moments(family, teacher):
    w, means, variances = teacher.weights[:, None], family.mean(teacher.atoms), family.variance(teacher.atoms)
    mean = (w * means).sum(0)
    return mean, (w * (variances + (means - mean) ** 2)).sum(0)


def integrated(family, student, teacher):
    """-int q~ teacher(y) log q~ student(y) dy, input by input."""
    ensemble = marginal(family, teacher)
    mean, variance = mixture_moments(family, teacher)
    losses = []
    for b in range(B):

        def integrand(y, b=b):
            at = torch.full((B,), y, dtype=torch.float64)
            return -(ensemble.log_prob(at).exp() * student.log_prob(at))[b].item()

        reach = 12 * variance[b].sqrt()
        losses.append(integrate.quad(integrand, mean[b] - reach, mean[b] + reach, limit=200)[0])
    return torch.tensor(losses, dtype=torch.float64)


@pytest.mark.parametrize("family", [Gaussian(), Gaussian(shift=-3.0, scale=12.5)])
def test_gaussian_point_is_the_integral(family, numbers):
    teacher, v = Members(numbers(M, B, 2), WEIGHTS), Point(numbers(B, 2))
    expected = integrated(family, family(v.z), teacher)
    torch.testing.assert_close(MixtureDistillation(family)(v, teacher), expected, rtol=1e-6, atol=0)


@pytest.mark.parametrize("family", [Gaussian(), Gaussian(shift=-3.0, scale=12.5)])
def test_gaussian_point_is_least_at_the_moments_of_the_mixture(family, numbers):
    teacher = Members(numbers(M, B, 2), WEIGHTS)
    z = torch.zeros(B, 2, dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.LBFGS([z], max_iter=200, tolerance_grad=1e-12, line_search_fn="strong_wolfe")

    def step():
        optimiser.zero_grad()
        loss = MixtureDistillation(family)(Point(z), teacher).sum()
        loss.backward()
        return loss

    optimiser.step(step)
    mean, variance = mixture_moments(family, teacher)
    torch.testing.assert_close(family.mean(z.detach()), mean, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(family.variance(z.detach()), variance, rtol=1e-4, atol=0)


def test_gaussian_density_student_is_the_integral(numbers):
    family, teacher = Gaussian(), Members(numbers(M, B, 2), WEIGHTS)
    v = FullNormal.from_raw(numbers(B, 5))
    expected = integrated(family, marginal(family, v), teacher)
    torch.testing.assert_close(MixtureDistillation(family)(v, teacher), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("reference", [None, 0, 2])
@pytest.mark.parametrize("temperature", [1.0, 2.5])
def test_categorical_point_is_the_sum_over_classes(reference, temperature, numbers):
    family = Categorical(4, reference=reference)
    teacher, v = Members(numbers(M, B, family.num_parameters), WEIGHTS), Point(numbers(B, family.num_parameters))
    mean = torch.einsum("m,mbk->bk", WEIGHTS, family.mean(teacher.atoms / temperature))
    expected = -(mean * family.log_probs(v.z / temperature)).sum(-1)
    torch.testing.assert_close(MixtureDistillation(family, temperature)(v, teacher), expected)


def test_categorical_point_is_least_at_the_mean_probabilities(numbers):
    family, teacher = Categorical(4), Members(numbers(M, B, 4), WEIGHTS)
    mean = torch.einsum("m,mbk->bk", WEIGHTS, family.mean(teacher.atoms))
    z = mean.log().requires_grad_()
    loss = MixtureDistillation(family)(Point(z), teacher)
    np.testing.assert_allclose(loss.detach(), stats.entropy(mean.detach(), axis=-1))
    assert torch.autograd.grad(loss.sum(), z)[0].abs().max() < 1e-12


def test_categorical_dirichlet_student_is_judged_by_its_mean(numbers):
    teacher, a = Members(numbers(M, B, 4), WEIGHTS), numbers(B, 4).exp()
    mean = torch.einsum("m,mbk->bk", WEIGHTS, teacher.atoms.softmax(-1))
    expected = -(mean * (a / a.sum(-1, keepdim=True)).log()).sum(-1)
    torch.testing.assert_close(MixtureDistillation(Categorical(4))(Dirichlet(a), teacher), expected)


@pytest.mark.parametrize("temperature", [1.0, 2.5])
def test_one_coin_is_the_binary_cross_entropy(temperature, numbers):
    teacher, v = Members(numbers(M, B, 1), WEIGHTS), Point(numbers(B, 1))
    p = torch.einsum("m,mb->b", WEIGHTS, (teacher.atoms[..., 0] / temperature).sigmoid())
    logits = v.z[:, 0] / temperature
    expected = torch.nn.functional.binary_cross_entropy_with_logits(logits, p, reduction="none")
    torch.testing.assert_close(MixtureDistillation(Bernoulli(), temperature)(v, teacher), expected)


def test_many_coins_are_the_sum_over_all_label_vectors(numbers):
    teacher, v = Members(numbers(M, B, 3), WEIGHTS), Point(numbers(B, 3))
    expected = np.zeros(B)
    for labels in itertools.product([0, 1], repeat=3):
        by_member = stats.bernoulli.pmf(labels, special.expit(teacher.atoms.numpy())).prod(-1)
        by_student = stats.bernoulli.logpmf(labels, special.expit(v.z.numpy())).sum(-1)
        expected -= WEIGHTS.numpy() @ by_member * by_student
    np.testing.assert_allclose(MixtureDistillation(Bernoulli(3))(v, teacher), expected)


@pytest.mark.parametrize("offset", [-3.0, 0.0, 4.0])
def test_poisson_is_the_sum_over_counts(offset, numbers):
    teacher, v = Members(offset + numbers(M, B, 1), WEIGHTS), Point(offset + numbers(B, 1))
    y = np.arange(3000)
    mixture = np.einsum("m,mby->by", WEIGHTS, stats.poisson.pmf(y, teacher.atoms.exp().numpy()))
    expected = -(mixture * stats.poisson.logpmf(y, v.z.exp().numpy())).sum(-1)
    np.testing.assert_allclose(MixtureDistillation(Poisson())(v, teacher), expected, rtol=1e-5)


def test_multivariate_gaussian_is_the_closed_form(numbers):
    family = MultivariateGaussian(2, shift=(1.0, -2.0), scale=(3.0, 0.5))
    teacher, v = Members(numbers(M, B, 5), WEIGHTS), Point(numbers(B, 5))
    means = family.mean(teacher.atoms)
    apart = means - family.mean(v.z)
    second = family.covariance(teacher.atoms) + apart.unsqueeze(-1) * apart.unsqueeze(-2)
    V, S = torch.einsum("m,mbde->bde", WEIGHTS, second), family.covariance(v.z)
    trace = torch.linalg.solve(S, V).diagonal(dim1=-2, dim2=-1).sum(-1)
    expected = (2 * math.log(2 * math.pi) + torch.logdet(S) + trace) / 2
    torch.testing.assert_close(MixtureDistillation(family)(v, teacher), expected, rtol=0.01, atol=0.01)


def test_a_users_family_needs_no_closed_form(numbers):
    class Exponential(Family):
        num_parameters = 1

        def standard(self, z):
            return torch.distributions.Exponential(z[..., 0].exp())

    teacher, v = Members(numbers(M, B, 1), WEIGHTS), Point(numbers(B, 1))
    mean = torch.einsum("m,mb->b", WEIGHTS, (-teacher.atoms[..., 0]).exp())
    expected = v.z[:, 0].exp() * mean - v.z[:, 0]
    torch.testing.assert_close(MixtureDistillation(Exponential())(v, teacher), expected, rtol=1e-3, atol=1e-3)


def test_gradients_reach_the_student(numbers):
    z = numbers(B, 2).requires_grad_()
    MixtureDistillation(Gaussian())(Point(z), Members(numbers(M, B, 2))).sum().backward()
    assert z.grad.isfinite().all()
    assert z.grad.abs().min() > 0


@pytest.mark.parametrize(
    ("family", "v"),
    [(Gaussian(), Point(torch.zeros(B, 2))), (Categorical(2), Dirichlet(torch.ones(B, 2)))],
    ids=["family", "student"],
)
def test_a_temperature_is_for_points_over_logits(family, v):
    with pytest.raises(ValueError, match=r"a Point student over logits with temperature 2\.5, .* Use temperature=1\."):
        MixtureDistillation(family, temperature=2.5)(v, Members(torch.zeros(M, B, 2)))


@pytest.mark.parametrize("temperature", [0.0, -1.0])
def test_temperature_must_be_positive(temperature):
    with pytest.raises(ValueError, match="`temperature` to be a finite number above 0"):
        MixtureDistillation(Gaussian(), temperature=temperature)


def test_only_a_gaussian_point_needs_no_more_than_a_summary():
    teacher, family = Members(torch.randn(5, 4, 2, dtype=torch.float64)), Gaussian()
    objective, v = MixtureDistillation(family), Point(torch.randn(4, 2, dtype=torch.float64))
    torch.testing.assert_close(objective.on_summary(v, objective.summary(v, teacher)), objective(v, teacher))
    logits = MixtureDistillation(Categorical(2))
    assert logits.summary(v, teacher) is None
    with pytest.raises(NotImplementedError, match="needs the members themselves"):
        logits.on_summary(v, ())
