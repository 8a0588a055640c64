"""A normal with a full covariance, against scipy.stats.multivariate_normal."""

import math

import numpy as np
import pytest
import torch

from endd.distributions import FullNormal

GENERATOR = torch.Generator().manual_seed(0)
LOC = torch.randn(2, 3, generator=GENERATOR, dtype=torch.float64)
NOISE = torch.randn(2, 3, 3, generator=GENERATOR, dtype=torch.float64)
L = NOISE.tril(-1) + torch.diag_embed(NOISE.diagonal(dim1=-2, dim2=-1).exp())
Z = torch.randn(5, 2, 3, generator=GENERATOR, dtype=torch.float64)


def test_log_prob_as_scipy(scipy_log_prob):
    np.testing.assert_allclose(FullNormal(LOC, L).log_prob(Z), scipy_log_prob(Z, LOC, L @ L.mT), rtol=1e-9)


def test_covariance():
    torch.testing.assert_close(FullNormal(LOC, L).covariance_matrix, L @ L.mT)


@pytest.mark.parametrize(("loc", "scale_tril"), [(LOC, L[0]), (LOC[0], L)])
def test_either_part_may_lack_the_batch(loc, scale_tril):
    v = FullNormal(loc, scale_tril)
    assert v.batch_shape == (2,)
    assert (v.loc.shape, v.scale_tril.shape) == ((2, 3), (2, 3, 3))


def test_raw_numbers_are_loc_then_diagonal_then_rows():
    v = FullNormal.from_raw(torch.tensor([7.0, 8.0, 9.0, 0.0, 100.0, 0.0, 1.0, 2.0, 3.0]), min_scale=0.5)
    a = math.log(2) + 0.5
    assert v.loc.tolist() == [7.0, 8.0, 9.0]
    torch.testing.assert_close(v.scale_tril, torch.tensor([[a, 0, 0], [1, 100.5, 0], [2, 3, a]]))


@pytest.mark.parametrize("min_scale", [1e-3, 0.2])
def test_min_scale_is_respected(min_scale):
    v = FullNormal.of(min_scale=min_scale).from_raw(torch.full((2, 9), -1e4))
    pivots = v.scale_tril.diagonal(dim1=-2, dim2=-1)
    torch.testing.assert_close(pivots, torch.full((2, 3), min_scale))


@pytest.mark.parametrize("size", [1, 3, 4, 6])
def test_numbers_that_fit_no_triangle_raise(size):
    with pytest.raises(ValueError, match=r"Expected 2, 5, 9, 14, \.\.\. raw numbers"):
        FullNormal.from_raw(torch.zeros(2, size))


@pytest.mark.parametrize("scale_tril", [torch.ones(3), torch.eye(2)])
def test_shapes_are_checked(scale_tril):
    with pytest.raises(ValueError, match=r"`scale_tril` of shape \(\.\.\., 3, 3\) for loc of shape \(4, 3\), but got"):
        FullNormal(torch.zeros(4, 3), scale_tril)


def test_construction_checks_its_arguments():
    with pytest.raises(TypeError, match="`loc` to be a floating point tensor"):
        FullNormal(torch.zeros(3, dtype=torch.int64), torch.eye(3))
    with pytest.raises(ValueError, match="parameter scale_tril"):
        FullNormal(torch.zeros(3), torch.ones(3, 3))


def test_repr():
    assert repr(FullNormal(LOC, L)) == "FullNormal(batch=(2,), P=3)"
