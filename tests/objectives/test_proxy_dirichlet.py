"""Proxy-Dirichlet distillation: the fit, the reverse KL in its decomposed form, and the extremes."""

import itertools

import numpy as np
import pytest
import torch
from scipy import stats
from torch.distributions import Dirichlet as TorchDirichlet
from torch.distributions import kl_divergence

import endd
from endd.distributions import DiagonalNormal, Dirichlet, Members
from endd.objectives import ProxyDirichletDistillation, fitted_dirichlet
from endd.objectives.proxy_dirichlet import mean_and_inverse_precision

M, B, K = 5, 3, 4
F64 = torch.float64
GENERATOR = torch.Generator().manual_seed(0)
Z = 2 * torch.randn(M, B, K, generator=GENERATOR, dtype=F64)
WEIGHTS = torch.tensor([0.1, 0.3, 0.2, 0.25, 0.15], dtype=F64)
TEACHER = Members(Z, WEIGHTS)
MEAN = torch.einsum("m,mbk->bk", WEIGHTS, Z.softmax(-1))


def test_the_fit_is_the_closed_form_of_the_paper():
    apart = [[stats.entropy(MEAN[b], Z[m, b].softmax(-1)) for b in range(B)] for m in range(M)]
    precision = (K - 1) / (2 * (WEIGHTS.numpy() @ np.array(apart)))
    mean, inverse = mean_and_inverse_precision(TEACHER)
    torch.testing.assert_close(mean, MEAN)
    np.testing.assert_allclose(inverse, 1 / precision)
    np.testing.assert_allclose(fitted_dirichlet(TEACHER).concentration, MEAN.numpy() * precision[:, None])


@pytest.mark.parametrize("precision", [20.0, 200.0])
def test_the_fit_finds_the_dirichlet_that_members_were_drawn_from(precision):
    truth = precision * torch.tensor([[0.5, 0.3, 0.2], [0.2, 0.2, 0.6]], dtype=F64)
    found = fitted_dirichlet(Members(Dirichlet(truth).sample((20_000,))))
    torch.testing.assert_close(found.concentration, truth, rtol=2 / precision + 0.03, atol=0)


@pytest.mark.parametrize("count_ones", [True, False])
def test_the_loss_is_the_reverse_kl_but_for_a_constant(count_ones):
    """KL(Dir(1 + a) || Dir(1 + c p~)) / c - loss is the same for every student."""
    objective = ProxyDirichletDistillation(count_ones)
    mean, inverse = mean_and_inverse_precision(TEACHER)
    c = 1 / inverse + (K if count_ones else 0)
    target = TorchDirichlet(1 + c[:, None] * mean)
    gaps = []
    for a in ((3 * torch.randn(6, B, K, generator=GENERATOR, dtype=F64)).exp()).unbind():
        gaps.append(kl_divergence(TorchDirichlet(1 + a), target) / c - objective(Dirichlet(a), TEACHER))
    torch.testing.assert_close(torch.stack(gaps), gaps[0].expand(6, B))


def test_the_loss_is_what_sampling_says():
    a = torch.tensor([0.5, 2.0, 8.0, 1.0], dtype=F64).expand(B, K)
    student = TorchDirichlet(1 + a)
    log_p = student.sample((400_000,)).log()
    flat = student.log_prob(log_p.exp()) - TorchDirichlet(torch.ones(B, K, dtype=F64)).log_prob(log_p.exp())
    values = -(MEAN * log_p).sum(-1) + mean_and_inverse_precision(TEACHER)[1] * flat
    error = values.std(0) / values.shape[0] ** 0.5
    loss = ProxyDirichletDistillation(count_ones=False)(Dirichlet(a), TEACHER)
    assert bool(((loss - values.mean(0)).abs() <= 5 * error).all())


@pytest.mark.parametrize("count_ones", [True, False])
def test_it_is_least_at_the_fitted_dirichlet(count_ones):
    mean, inverse = mean_and_inverse_precision(TEACHER)
    best = (1 / inverse + (K if count_ones else 0))[:, None] * mean
    a = best.clone().requires_grad_()
    loss = ProxyDirichletDistillation(count_ones)(Dirichlet(a), TEACHER)
    (gradient,) = torch.autograd.grad(loss.sum(), a)
    assert float(gradient.abs().max()) < 1e-12
    for other in (0.7 * best, 1.4 * best, best + 0.5):
        assert bool((ProxyDirichletDistillation(count_ones)(Dirichlet(other), TEACHER) > loss).all())


def test_a_student_reaches_the_members_dirichlet():
    raw = torch.zeros(B, K, dtype=F64, requires_grad=True)
    optimiser = torch.optim.LBFGS([raw], max_iter=500, tolerance_grad=1e-12, line_search_fn="strong_wolfe")
    objective = ProxyDirichletDistillation(count_ones=False)

    def step():
        optimiser.zero_grad()
        loss = objective(Dirichlet.from_raw(raw), TEACHER).sum()
        loss.backward()
        return loss

    optimiser.step(step)
    expected = fitted_dirichlet(TEACHER).concentration
    torch.testing.assert_close(Dirichlet.from_raw(raw).concentration.detach(), expected, rtol=1e-3, atol=1e-3)


def test_a_summary_says_as_much_as_the_members():
    objective, v = ProxyDirichletDistillation(), Dirichlet(torch.full((B, K), 2.0, dtype=F64))
    torch.testing.assert_close(objective.on_summary(v, objective.summary(v, TEACHER)), objective(v, TEACHER))
    both = objective + 0.5 * objective
    torch.testing.assert_close(both.on_summary(v, both.summary(v, TEACHER)), 1.5 * objective(v, TEACHER))


AGREEING = torch.randn(1, 2, K, generator=GENERATOR).expand(M, 2, K)
CERTAIN = torch.tensor([900.0, 0.0, -900.0, 3.0]).expand(M, 2, K)
OPPOSED = torch.stack([1e3 * torch.eye(K)[j % K].expand(2, K) for j in range(M)])


@pytest.mark.parametrize("z", [AGREEING, CERTAIN, OPPOSED], ids=["agreeing", "certain", "opposed"])
@pytest.mark.parametrize("size", [1e-3, 1.0, 1e4, 1e8])
@pytest.mark.parametrize("count_ones", [True, False])
def test_extremes_are_finite_and_agree_with_double_precision(z, size, count_ones):
    found = []
    for dtype in (torch.float32, F64):
        raw = (np.log(size) + torch.tensor([0.0, -0.1, -0.5, -0.2])).to(dtype).expand(2, K).clone().requires_grad_()
        loss = ProxyDirichletDistillation(count_ones)(Dirichlet(raw.exp()), Members(z.to(dtype)))
        (gradient,) = torch.autograd.grad(loss.sum(), raw)
        assert bool(loss.isfinite().all())
        assert bool(gradient.isfinite().all())
        found.append((loss.detach().double(), gradient.double()))
    torch.testing.assert_close(found[0], found[1], rtol=1e-3, atol=1e-3)


def test_members_that_agree_leave_the_cross_entropy():
    """The more certain of the members' own probabilities, the better, without end."""
    teacher = Members(AGREEING)
    losses = [
        ProxyDirichletDistillation()(Dirichlet(c * AGREEING[0].softmax(-1)), teacher) for c in (1, 10, 1e3, 1e6, 1e8)
    ]
    assert all(bool((after < before).all()) for before, after in itertools.pairwise(losses))
    entropy = torch.distributions.Categorical(logits=AGREEING[0]).entropy()
    torch.testing.assert_close(losses[-1], entropy, rtol=1e-4, atol=1e-4)
    assert bool(fitted_dirichlet(teacher).concentration.isfinite().all())


def test_only_a_dirichlet_student_will_do():
    with pytest.raises(TypeError, match=r"a student with v=endd\.Dirichlet, but got DiagonalNormal"):
        ProxyDirichletDistillation()(DiagonalNormal(Z[0], torch.ones_like(Z[0])), TEACHER)


def test_distillation_learns_by_it():
    family, x = endd.families.Categorical(3), torch.randn(60, 2)
    teacher = endd.Ensemble([endd.nn.MLP(2, [8], 3) for _ in range(4)], family)
    student = endd.Student(endd.nn.MLP(2, [16], 3), family, endd.Dirichlet)
    options = {"epochs": 30, "progress": "none", "device": "cpu", "learning_rate": 0.01}
    history = endd.distill(teacher, student, x, objective=ProxyDirichletDistillation(), **options)
    assert history.loss[-1] < history.loss[0]
