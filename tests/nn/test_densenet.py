"""The dense network for 32 x 32 images."""

import pytest
import torch
from torch import nn

from endd.nn import DenseNet


def test_densenet_bc_100_has_the_published_number_of_parameters():
    assert sum(p.numel() for p in DenseNet((16, 16, 16), 12, 10).parameters()) == pytest.approx(0.77e6, rel=0.01)


def test_layers_count_convolutions_and_the_head():
    layers = [m for m in DenseNet((16, 16, 16), 12, 10).modules() if isinstance(m, nn.Conv2d | nn.Linear)]
    assert len(layers) == 100


@pytest.mark.parametrize("layers", [(1,), (2, 1), [1, 2, 3]])
def test_any_layers_growth_and_number_of_outputs(layers):
    net = DenseNet(layers, 3, 7).eval()
    assert net(torch.zeros(2, 3, 32, 32)).shape == (2, 7)
    assert net.architecture == {"layers": list(layers), "growth": 3, "outputs": 7}


def test_a_layer_adds_channels_and_a_stage_halves_images_and_channels():
    net = DenseNet((2, 3), 4, 10).eval()
    shapes = []
    for part in net.blocks:
        part.register_forward_hook(lambda *found: shapes.append(tuple(found[-1].shape[1:])))
    net(torch.zeros(1, 3, 32, 32))
    assert shapes == [(12, 32, 32), (16, 32, 32), (8, 16, 16), (12, 16, 16), (16, 16, 16), (20, 16, 16)]


def test_a_layer_keeps_what_there_was():
    net = DenseNet((1,), 4, 10).eval()
    h = torch.rand(2, 8, 8, 8)
    assert torch.equal(net.blocks[0](h)[:, :8], h)


@pytest.mark.parametrize(("layers", "growth"), [((), 4), ((0, 1), 4), ((2, 2), 0)])
def test_what_cannot_be_built_is_refused(layers, growth):
    with pytest.raises(ValueError, match=r"Expected stages of one or more `layers` and a `growth`, but got"):
        DenseNet(layers, growth, 10)


def test_pixels_are_divided_by_255():
    net, pixels = DenseNet((1, 1), 2, 3).eval(), torch.randint(0, 256, (2, 3, 8, 8), dtype=torch.uint8)
    torch.testing.assert_close(net(pixels), net(pixels.float() / 255))


def test_many_networks_answer_under_vmap():
    net, x = DenseNet((2, 2), 3, 10).eval(), torch.rand(3, 2, 3, 32, 32)
    torch.testing.assert_close(torch.vmap(net)(x), torch.stack([net(part) for part in x]))
