"""Dropout with fixed masks."""

import pytest
import torch

from endd.nn.masked import MaskedDropout, masks

CPU = torch.device("cpu")


def test_masks_keep_their_share_and_layers_have_their_own():
    kept = masks(0.3, 200, (50, 4), (0, 1), CPU)
    assert kept.shape == (200, 50, 4)
    assert kept.double().mean().item() == pytest.approx(0.7, abs=0.01)
    assert not torch.equal(kept, masks(0.3, 200, (50, 4), (0, 0), CPU))
    assert torch.equal(kept[:3], masks(0.3, 3, (50, 4), (0, 1), CPU))


def test_channels_fall_as_one():
    out = MaskedDropout(0.5, 2, 3, (0,))(torch.ones(2, 40, 4, 4))
    assert bool((out == out[:1, :, :1, :1]).all())
    assert set(out.unique().tolist()) == {0.0, 2.0}


@pytest.mark.parametrize("together", [0, 2])
def test_factors_are_the_masks_of_all_draws(together):
    layer, x = MaskedDropout(0.25, together, 5, (0,)), torch.rand(3, 6, 4, 4)
    factors = layer.factors(tuple(x.shape[1:]), x)
    assert factors.shape == (5, 6, 4, 4)
    for draw in range(5):
        layer.draw.fill_(draw)
        torch.testing.assert_close(layer(x), x * factors[draw])
