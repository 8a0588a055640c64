"""Maps between raw numbers and parameters."""

import math

import numpy as np
import pytest
import torch
from scipy import special
from torch.nn.functional import softplus

from endd._transforms import (
    deviations,
    kl_terms,
    log_softmax,
    smooth_clamp,
    softplus_inverse,
    tril_from_raw,
    tril_size,
    wide_dtype,
)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_densities_are_summed_in_float64(dtype):
    assert wide_dtype(torch.zeros(1, dtype=dtype)) == torch.float64


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_softplus_inverse_is_undone_by_softplus(dtype):
    x = torch.logspace(-30, 4, 100, dtype=dtype)
    torch.testing.assert_close(softplus(softplus_inverse(x)), x, rtol=1e-5, atol=0)


def test_softplus_inverse_as_the_logarithm():
    x = np.array([0.1, 1.0, 5.0, 500.0])
    np.testing.assert_allclose(softplus_inverse(torch.tensor(x)), x + np.log(-np.expm1(-x)), rtol=1e-12)


@pytest.mark.parametrize("x", [0.0, -1.0])
def test_softplus_inverse_of_nothing_is_finite(x):
    assert softplus_inverse(torch.tensor(x)).item() == pytest.approx(math.log(torch.finfo(torch.float32).tiny))


def test_smooth_clamp_changes_nothing_well_inside():
    x = torch.linspace(-8, 8, 50, dtype=torch.float64)
    torch.testing.assert_close(smooth_clamp(x, -20, 20), x, rtol=0, atol=1e-4)


def test_smooth_clamp_stays_between_its_ends_and_rises():
    x = torch.linspace(-100, 100, 500, dtype=torch.float64)
    y = smooth_clamp(x, -20, 20)
    assert y.min() >= -20
    assert y.max() <= 20 + 1e-12
    assert (y.diff() >= 0).all()


@pytest.mark.parametrize("x", [-25.0, 25.0])
def test_smooth_clamp_leaves_a_gradient_outside(x):
    x = torch.tensor(x, requires_grad=True)
    smooth_clamp(x, -20, 20).backward()
    assert x.grad.item() == pytest.approx(special.expit(-5), rel=1e-3)


@pytest.mark.parametrize("size", range(1, 6))
def test_a_triangle_holds_its_diagonal_first_then_its_rows(size):
    raw = torch.randn(2, 3, tril_size(size), generator=torch.Generator().manual_seed(size))
    L = tril_from_raw(raw, size, min_scale=0.5)
    rows, columns = np.tril_indices(size, -1)
    assert torch.equal(L.triu(1), torch.zeros(2, 3, size, size))
    torch.testing.assert_close(L.diagonal(dim1=-2, dim2=-1), softplus(raw[..., :size]) + 0.5)
    assert torch.equal(L[..., rows, columns], raw[..., size:])


def test_a_triangle_first_made_in_inference_mode_can_be_trained():
    with torch.inference_mode():
        tril_from_raw(torch.zeros(tril_size(17)), 17, 0.1)
    raw = torch.zeros(tril_size(17), requires_grad=True)
    tril_from_raw(raw, 17, 0.1).sum().backward()
    torch.testing.assert_close(raw.grad, torch.cat([torch.full((17,), 0.5), torch.ones(17 * 8)]))


def test_deviations_are_from_the_weighted_average():
    values, weights = torch.tensor([[1.0, 2.0], [3.0, 10.0]]), torch.tensor([0.25, 0.75])
    torch.testing.assert_close(deviations(values, weights), torch.tensor([[-1.5, -6.0], [0.5, 2.0]]))


def test_deviations_of_equals_leave_no_trace_of_weights_that_add_up_roughly():
    values, weights = torch.full((7, 3), 1e6), torch.full((7,), 1 / 7 + 1e-7)
    assert deviations(values, weights).abs().max() < 1e-3


@pytest.mark.parametrize("shape", [(3, 10), (300, 2), (300, 4, 10), (300, 20)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_log_softmax_of_few_and_of_many_rows_as_torch(shape, dtype):
    x = (100 * torch.randn(shape, generator=torch.Generator().manual_seed(1), dtype=dtype)).requires_grad_()
    ours, theirs = log_softmax(x), x.log_softmax(-1)
    torch.testing.assert_close(ours, theirs, rtol=1e-6, atol=1e-6)
    slopes = [torch.autograd.grad(values[..., 0].sum(), x)[0] for values in (ours, theirs)]
    torch.testing.assert_close(*slopes, rtol=1e-5, atol=1e-6)


def test_log_softmax_of_many_rows_at_the_extremes():
    x = torch.tensor([[3e38, -3e38, 0.0], [-torch.inf, 1.0, 1.0]]).repeat(100, 1)
    torch.testing.assert_close(log_softmax(x), x.log_softmax(-1))


def test_kl_terms_as_scipy():
    log_p, log_q = (
        torch.randn(2, 50, 6, generator=torch.Generator().manual_seed(0), dtype=torch.float64).mul(4).log_softmax(-1)
    )
    terms = kl_terms(log_p, log_q)
    np.testing.assert_allclose(terms, special.kl_div(log_p.exp().numpy(), log_q.exp().numpy()), rtol=1e-6, atol=1e-16)
    torch.testing.assert_close(terms.sum(-1), (log_p.exp() * (log_p - log_q)).sum(-1))


def test_kl_terms_of_near_equals_do_not_cancel():
    p, d = 0.3, 1e-5
    log_p = torch.tensor([p]).log()
    assert kl_terms(log_p, log_p - d).item() == pytest.approx(p * d**2 / 2, rel=0.05)


def test_kl_terms_are_never_negative():
    log_p, log_q = torch.randn(2, 2000, generator=torch.Generator().manual_seed(0)).mul(30) - 40
    assert (kl_terms(log_p, log_q) >= 0).all()
    assert torch.equal(kl_terms(log_p, log_p), torch.zeros(2000))


def test_kl_terms_have_finite_gradients_where_one_side_vanishes():
    log_p = torch.tensor([-1e4, 0.0, -1e4], requires_grad=True)
    log_q = torch.tensor([0.0, -1e4, -1e4], requires_grad=True)
    kl_terms(log_p, log_q).sum().backward()
    assert log_p.grad.isfinite().all()
    assert log_q.grad.isfinite().all()
