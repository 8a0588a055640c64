"""The residual network for 32 x 32 images."""

import pytest
import torch
from torch import nn

from endd.nn import ResNet
from endd.nn.resnet import Block


def test_resnet_20_has_the_published_number_of_parameters():
    assert sum(p.numel() for p in ResNet(20, 10).parameters()) == 269_722


@pytest.mark.parametrize("depth", [8, 20])
def test_depth_counts_convolutions_and_the_head(depth):
    layers = [m for m in ResNet(depth, 10).modules() if isinstance(m, nn.Conv2d | nn.Linear)]
    assert len(layers) == depth


@pytest.mark.parametrize("width", [4, 5, 16])
@pytest.mark.parametrize("outputs", [10, 60])
def test_any_width_and_number_of_outputs(width, outputs):
    net = ResNet(8, outputs, width).eval()
    assert net.head.in_features == 4 * width
    assert net(torch.zeros(2, 3, 32, 32)).shape == (2, outputs)


def test_stages_halve_the_image_twice():
    net = ResNet(8, 10, 4).eval()
    assert net.blocks(torch.zeros(1, 4, 32, 32)).shape == (1, 16, 8, 8)


@pytest.mark.parametrize("depth", [2, 9, 18, 19])
def test_other_depths_are_refused(depth):
    with pytest.raises(ValueError, match=rf"a depth of 6 n \+ 2 \(8, 14, 20, 32, \.\.\.\), but got {depth}"):
        ResNet(depth, 10)


@pytest.mark.parametrize(("channels", "stride"), [(3, 1), (8, 2), (6, 2)])
def test_the_shortcut_strides_and_pads_with_zeros(channels, stride):
    block = Block(3, channels, stride).eval()
    nn.init.zeros_(block.conv2.weight)
    x = torch.rand(2, 3, 8, 8)
    out = block(x)
    before = (channels - 3) // 2
    expected = torch.zeros(2, channels, 8 // stride, 8 // stride)
    expected[:, before : before + 3] = x[:, :, ::stride, ::stride]
    assert torch.equal(out, expected)


def test_convolutions_start_from_he_initialisation():
    weight = ResNet(8, 10, 16).blocks[2].conv2.weight
    assert weight.std().item() == pytest.approx((2 / (64 * 9)) ** 0.5, rel=0.05)


def test_an_input_is_judged_alone_in_eval_mode():
    net = ResNet(8, 10, 4).eval()
    x = torch.randn(3, 3, 32, 32, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(net(x)[:1], net(x[:1]), rtol=1e-4, atol=1e-5)
