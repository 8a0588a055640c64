"""A few directions plus a diagonal, against scipy.stats.multivariate_normal."""

import math

import numpy as np
import pytest
import torch

from endd.distributions import LowRankNormal

GENERATOR = torch.Generator().manual_seed(0)
LOC = torch.randn(2, 6, generator=GENERATOR, dtype=torch.float64)
FACTOR = torch.randn(2, 6, 8, generator=GENERATOR, dtype=torch.float64)
DIAGONAL = torch.rand(2, 6, generator=GENERATOR, dtype=torch.float64) + 0.01
Z = torch.randn(5, 2, 6, generator=GENERATOR, dtype=torch.float64)


@pytest.mark.parametrize("rank", [1, 2, 6, 8])
def test_log_prob_as_scipy(rank, scipy_log_prob):
    F = FACTOR[..., :rank]
    v = LowRankNormal(LOC, F, DIAGONAL)
    expected = scipy_log_prob(Z, LOC, F @ F.mT + torch.diag_embed(DIAGONAL))
    assert v.rank == rank
    np.testing.assert_allclose(v.log_prob(Z), expected, rtol=1e-9)


def test_moments():
    v = LowRankNormal(LOC, FACTOR, DIAGONAL)
    torch.testing.assert_close(v.covariance_matrix, FACTOR @ FACTOR.mT + torch.diag_embed(DIAGONAL))
    assert v.noise_size == 14


def test_parts_may_lack_the_batch():
    v = LowRankNormal(LOC, FACTOR[0], DIAGONAL[0])
    assert (v.batch_shape, v.factor.shape, v.diagonal.shape) == ((2,), (2, 6, 8), (2, 6))


def test_raw_numbers_are_loc_then_scale_then_factor_by_rows():
    raw = torch.tensor([7.0, 8.0, 0.0, 100.0, 1.0, 2.0, 3.0, 4.0])
    v = LowRankNormal.from_raw(raw, rank=2, min_scale=0.5)
    assert v.loc.tolist() == [7.0, 8.0]
    assert v.factor.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    torch.testing.assert_close(v.diagonal, torch.tensor([(math.log(2) + 0.5) ** 2, 100.5**2]))


@pytest.mark.parametrize("min_scale", [1e-3, 0.2])
def test_min_scale_is_respected(min_scale):
    v = LowRankNormal.of(rank=1, min_scale=min_scale).from_raw(torch.full((2, 9), -1e4))
    torch.testing.assert_close(v.diagonal.sqrt(), torch.full((2, 3), min_scale))


def test_raw_size_follows_the_rank():
    assert LowRankNormal.raw_size(10) == 60
    assert LowRankNormal.of(rank=2).raw_size(10) == 40


def test_a_wrong_number_of_raw_numbers_raises():
    with pytest.raises(ValueError, match=r"a multiple of 6 raw numbers for a LowRankNormal, .* endd\.num_outputs"):
        LowRankNormal.from_raw(torch.zeros(2, 40))


@pytest.mark.parametrize("factor", [torch.ones(3), torch.ones(2, 3)])
def test_shapes_are_checked(factor):
    with pytest.raises(ValueError, match=r"`factor` of shape \(\.\.\., 3, rank\) for loc of shape \(4, 3\), but got"):
        LowRankNormal(torch.zeros(4, 3), factor, torch.ones(3))


def test_construction_checks_its_arguments():
    with pytest.raises(TypeError, match="`loc` to be a floating point tensor"):
        LowRankNormal(torch.zeros(3, dtype=torch.int64), torch.ones(3, 1), torch.ones(3))
    with pytest.raises(ValueError, match="parameter diagonal"):
        LowRankNormal(torch.zeros(3), torch.ones(3, 1), torch.zeros(3))


@pytest.mark.parametrize("ratio", [1e3, 1e6, 1e9])
def test_parallel_directions_lose_no_digits(ratio):
    """F = ratio x ones: S = I + 2 ratio^2 1 1', whose determinant is known."""
    v = LowRankNormal(torch.zeros(3), torch.full((3, 2), ratio), torch.ones(3))
    expected = -(3 * math.log(2 * math.pi) + math.log1p(6 * ratio**2)) / 2
    assert float(v.log_prob(torch.zeros(3))) == pytest.approx(expected, rel=1e-6)
    across = torch.tensor([1.0, -1.0, 0.0])
    assert float(v.log_prob(across)) == pytest.approx(expected - 1, rel=1e-6)


def test_repr():
    assert repr(LowRankNormal(LOC, FACTOR, DIAGONAL)) == "LowRankNormal(batch=(2,), P=6, rank=8)"
    assert repr(LowRankNormal.of(rank=2)) == "LowRankNormal.of(rank=2)"
