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


def test_dropout_adds_no_tensors_and_the_default_has_none():
    plain, dropping = ResNet(8, 10, 4), ResNet(8, 10, 4, dropout=0.1, head_dropout=0.2)
    assert list(plain.state_dict()) == list(dropping.state_dict())
    assert not any(isinstance(m, nn.Dropout) for m in plain.modules())
    assert plain.architecture == {"depth": 8, "outputs": 10, "width": 4}
    assert dropping.architecture == {"depth": 8, "outputs": 10, "width": 4, "dropout": 0.1, "head_dropout": 0.2}
    assert sorted(m.p for m in dropping.modules() if isinstance(m, nn.Dropout)) == [0.1] * 6 + [0.2]


def test_dropout_is_in_front_of_convolutions_and_head_and_off_in_eval_mode():
    x = torch.randn(4, 3, 8, 8)
    net, plain = ResNet(8, 10, 4, dropout=0.5), ResNet(8, 10, 4)
    plain.load_state_dict(net.state_dict())
    assert torch.equal(net.eval()(x), plain.eval()(x))
    net.blocks.train()
    assert not torch.equal(net(x), net(x))
    last = ResNet(8, 10, 4, head_dropout=0.5)
    last.head_dropout.eval()
    state = torch.random.get_rng_state()
    last(x)
    assert torch.equal(state, torch.random.get_rng_state())


def test_a_shortcut_is_never_dropped():
    block = Block(3, 3, 1, dropout=0.9)
    nn.init.zeros_(block.conv2.weight)
    x = torch.rand(2, 3, 8, 8)
    assert torch.equal(block(x), x)


@pytest.mark.parametrize("options", [{"dropout": 1.0}, {"head_dropout": -0.1}])
def test_rates_are_checked(options):
    with pytest.raises(ValueError, match=r"from 0 to below 1, but got"):
        ResNet(8, 10, **options)


def test_channels_stay_last_in_memory_to_the_end():
    net, seen = ResNet(8, 10, 4).eval(), []
    net.blocks.register_forward_hook(lambda *found: seen.append(found[-1]))
    net(torch.zeros(2, 3, 32, 32))
    assert seen[0].is_contiguous(memory_format=torch.channels_last)
    assert not seen[0].is_contiguous()


def test_many_networks_answer_under_vmap():
    net, x = ResNet(8, 10, 4).eval(), torch.rand(3, 2, 3, 32, 32)
    torch.testing.assert_close(torch.vmap(net)(x), torch.stack([net(part) for part in x]))
