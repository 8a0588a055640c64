"""A Dirichlet spoken of in logits, against scipy.stats.dirichlet."""

import math

import numpy as np
import pytest
import torch
from scipy import stats

from endd.distributions import Dirichlet

GENERATOR = torch.Generator().manual_seed(0)
A = torch.tensor([[0.3, 1.0, 4.0], [20.0, 5.0, 9.0]], dtype=torch.float64)
Z = torch.randn(5, 2, 3, generator=GENERATOR, dtype=torch.float64)


def test_log_prob_as_scipy():
    p = Z.softmax(-1).numpy()
    expected = [[stats.dirichlet(A[b]).logpdf(p[s, b]) for b in range(2)] for s in range(5)]
    np.testing.assert_allclose(Dirichlet(A).log_prob(Z), expected, rtol=1e-9)


def test_log_prob_ignores_a_shift():
    torch.testing.assert_close(Dirichlet(A).log_prob(Z + 100), Dirichlet(A).log_prob(Z))


def test_large_concentrations_in_float32():
    a = torch.full((10,), 1e8)
    z = 1e-4 * torch.randn(10, generator=torch.Generator().manual_seed(3))
    p = z.double().softmax(-1).numpy()
    expected = stats.dirichlet(a.double().numpy()).logpdf(p / p.sum())
    assert Dirichlet(a).log_prob(z).item() == pytest.approx(expected, rel=1e-4)


def test_draws_are_centred():
    z = Dirichlet(A).sample((50,))
    assert z.shape == (50, 2, 3)
    assert z.mean(-1).abs().max() < 1e-12


def test_draws_are_those_of_the_dirichlet():
    p = Dirichlet(A).sample((20_000,)).softmax(-1)
    mean = A / A.sum(-1, keepdim=True)
    variance = mean * (1 - mean) / (A.sum(-1, keepdim=True) + 1)
    torch.testing.assert_close(p.mean(0), mean, rtol=0, atol=0.01)
    torch.testing.assert_close(p.var(0), variance, rtol=0.05, atol=0)


def test_mean_and_variance_are_those_of_the_draws():
    v = Dirichlet(A)
    z = v.sample((20_000,))
    torch.testing.assert_close(v.mean, z.mean(0), rtol=0, atol=0.05)
    torch.testing.assert_close(v.variance, z.var(0), rtol=0.05, atol=0)
    assert v.mean.sum(-1).abs().max() < 1e-12


@pytest.mark.parametrize("concentration", [1e-6, 1e-3, 1.0, 1e8])
def test_draws_are_finite_in_float32(concentration):
    assert Dirichlet(torch.full((100, 4), concentration)).sample().isfinite().all()


def test_draws_carry_gradients():
    a = A.clone().requires_grad_()
    Dirichlet(a).rsample((20,)).square().sum().backward()
    assert a.grad.isfinite().all()
    assert a.grad.abs().min() > 0


def test_the_mean_prediction_is_the_softmax_of_the_raw_numbers():
    raw = torch.randn(4, 5, generator=torch.Generator().manual_seed(3))
    a = Dirichlet.from_raw(raw).concentration
    torch.testing.assert_close(a, raw.exp(), rtol=1e-4, atol=0)
    torch.testing.assert_close(a / a.sum(-1, keepdim=True), raw.softmax(-1), rtol=1e-4, atol=0)


@pytest.mark.parametrize(("raw", "end"), [(-1e4, 1e-6), (1e4, 1e8)])
def test_concentrations_stay_in_their_range(raw, end):
    a = Dirichlet.from_raw(torch.full((2, 3), raw)).concentration
    torch.testing.assert_close(a, torch.full((2, 3), end), rtol=1e-5, atol=0)


def test_the_lower_end_can_be_chosen():
    v = Dirichlet.of(min_concentration=1.0).from_raw(torch.full((2, 3), -1e4))
    torch.testing.assert_close(v.concentration, torch.ones(2, 3))


def test_a_gradient_is_left_outside_the_range():
    raw = torch.full((2,), math.log(1e8) + 5, requires_grad=True)
    Dirichlet.from_raw(raw).concentration.log().sum().backward()
    assert (raw.grad > 1e-3).all()


def test_raw_size_is_the_number_of_classes():
    assert Dirichlet.raw_size(10) == Dirichlet.of(min_concentration=1.0).raw_size(10) == 10


def test_expand():
    v = Dirichlet(A).expand([4, 2])
    assert v.batch_shape == (4, 2)
    torch.testing.assert_close(v.log_prob(Z[0]), Dirichlet(A).log_prob(Z[0]).expand(4, 2))


@pytest.mark.parametrize("a", [torch.tensor(1.0), torch.ones(4, 1)])
def test_shapes_are_checked(a):
    with pytest.raises(ValueError, match=r"shape \(\.\.\., K\) with K of at least 2, but got a float32 tensor"):
        Dirichlet(a)


def test_construction_checks_its_arguments():
    with pytest.raises(TypeError, match=r"`concentration` to be a floating point tensor, .* Use concentration\.float"):
        Dirichlet(torch.ones(4, 3, dtype=torch.int64))
    with pytest.raises(ValueError, match="parameter concentration"):
        Dirichlet(torch.tensor([1.0, 0.0]))


def test_validation_refuses_nan():
    with pytest.raises(ValueError, match="Expected value argument"):
        Dirichlet(A).log_prob(Z * torch.nan)


def test_repr():
    assert repr(Dirichlet(A)) == "Dirichlet(batch=(2,), P=3)"
    assert repr(Dirichlet.of(max_concentration=1e4)) == "Dirichlet.of(max_concentration=10000.0)"
