"""Independent normals, against scipy.stats.multivariate_normal."""

import numpy as np
import pytest
import torch

from endd.distributions import DiagonalNormal

GENERATOR = torch.Generator().manual_seed(0)
LOC = torch.randn(2, 3, generator=GENERATOR, dtype=torch.float64)
SCALE = torch.rand(2, 3, generator=GENERATOR, dtype=torch.float64) + 0.1
Z = torch.randn(5, 2, 3, generator=GENERATOR, dtype=torch.float64)


def test_log_prob_as_scipy(scipy_log_prob):
    expected = scipy_log_prob(Z, LOC, torch.diag_embed(SCALE**2))
    np.testing.assert_allclose(DiagonalNormal(LOC, SCALE).log_prob(Z), expected, rtol=1e-10)


def test_one_scale_for_the_whole_batch():
    v = DiagonalNormal(LOC, SCALE[0])
    assert v.batch_shape == (2,)
    torch.testing.assert_close(v.variance, SCALE[0].square().expand(2, 3))


def test_raw_numbers_are_loc_then_scale():
    v = DiagonalNormal.from_raw(torch.tensor([1.0, -2.0, 0.0, 100.0]), min_scale=0.5)
    assert v.loc.tolist() == [1.0, -2.0]
    torch.testing.assert_close(v.scale, torch.tensor([np.log(2) + 0.5, 100.5], dtype=torch.float32))


@pytest.mark.parametrize("min_scale", [1e-3, 0.2])
def test_min_scale_is_respected(min_scale):
    v = DiagonalNormal.of(min_scale=min_scale).from_raw(torch.full((2, 6), -1e4))
    torch.testing.assert_close(v.scale, torch.full((2, 3), min_scale))


def test_an_odd_number_of_raw_numbers_raises():
    with pytest.raises(ValueError, match=r"a multiple of 2 raw numbers for a DiagonalNormal, .* endd\.num_outputs"):
        DiagonalNormal.from_raw(torch.zeros(2, 3))


def test_construction_checks_its_arguments():
    with pytest.raises(TypeError, match=r"`loc` to be a floating point tensor, but got a int64"):
        DiagonalNormal(torch.zeros(3, dtype=torch.int64), torch.ones(3))
    with pytest.raises(ValueError, match="parameter scale"):
        DiagonalNormal(torch.zeros(3), torch.zeros(3))


def test_repr():
    assert repr(DiagonalNormal(LOC, SCALE)) == "DiagonalNormal(batch=(2,), P=3)"
    assert repr(DiagonalNormal.of(min_scale=0.2)) == "DiagonalNormal.of(min_scale=0.2)"
