"""A wide residual network that starts as narrow ones side by side."""

import pytest
import torch
from torch import Tensor

from endd.nn import ResNet, join, symmetric

IMAGES = torch.rand(5, 3, 32, 32, generator=torch.Generator().manual_seed(0))


def network(width: int, outputs: int = 4, depth: int = 8) -> ResNet:
    """One whose norms are no longer as they began."""
    torch.manual_seed(1000 * width + outputs)
    net = ResNet(depth, outputs, width)
    for _ in range(2):
        net(torch.rand(8, 3, 32, 32))
    for name, parameter in net.named_parameters():
        if "norm" in name:
            torch.nn.init.uniform_(parameter, 0.5, 1.5)
    return net.eval()


def different(count: int, width: int = 4, depth: int = 8) -> list[ResNet]:
    found = [network(width, depth=depth) for _ in range(count)]
    for number, net in enumerate(found):
        for parameter in net.parameters():
            parameter.data *= 1 + 0.1 * number
    return found


def features(net: ResNet) -> Tensor:
    net.head = torch.nn.Identity()  # type: ignore[assignment]
    return net(IMAGES)


@pytest.mark.parametrize("depth", [8, 14])
@pytest.mark.parametrize(
    ("count", "width", "room"),
    [(1, 4, 6), (2, 4, 8), (3, 4, 12), (2, 4, 11), (1, 3, 3), (1, 3, 4), (1, 5, 7), (2, 3, 7), (2, 5, 12)],
)
def test_it_says_the_mean_of_what_they_say(count, width, room, depth):
    narrow, wide = different(count, width, depth), network(room, depth=depth)
    join(narrow, wide)
    mean = torch.stack([net(IMAGES) for net in narrow]).mean(0)
    torch.testing.assert_close(wide(IMAGES), mean, rtol=1e-4, atol=1e-4)


def test_with_other_outputs_its_features_are_theirs_and_its_last_layer_its_own():
    narrow, wide = different(2), network(8, outputs=13)
    head = wide.head.weight.clone()
    join(narrow, wide)
    assert torch.equal(wide.head.weight, head)
    theirs = torch.cat([features(net) for net in narrow], 1).sort(1).values
    torch.testing.assert_close(features(wide).sort(1).values, theirs)


def test_channels_that_are_left_over_keep_random_weights_and_are_heard_by_nobody_else():
    narrow, wide = different(1), network(7, outputs=13)
    join(narrow, wide)
    found, theirs = features(wide), features(narrow[0])
    same = (found.unsqueeze(2) - theirs.unsqueeze(1)).abs().amax(0) < 1e-5
    assert same.sum() == theirs.shape[1]
    assert found[:, ~same.any(1)].std() > 0  # of 28 features 12 are new


def test_they_can_learn_to_work_together():
    narrow, wide = different(2), network(8).train()
    join(narrow, wide)
    crossing = wide.blocks[0].conv1.weight
    assert (crossing[:4, 4:] == 0).all()
    wide(IMAGES).square().sum().backward()
    assert (crossing.grad[:4, 4:] != 0).any()


def other_layers() -> ResNet:
    net = network(4)
    net.head = torch.nn.Linear(16, 4, bias=False)
    return net


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ([], "one network or more to start from, .* but got none"),
        ("results/members", "each a torch.nn.Module, but got str"),
        (network(4).state_dict(), "each a torch.nn.Module, but got OrderedDict"),
        ([None, 5, None], "but got NoneType, int"),
        ([network(4, depth=14)], r"alike in `depth`, but got \[8, 14\]"),
        (different(3), r"8 channels or less together, .* of 8, but got widths of 4, 4, 4\. Take fewer"),
        ([network(4), network(3)], r"one width.* but got widths of 4, 3"),
        (different(3, 3), r"8 channels or less together with a gap beside each, .* but got widths of 3, 3, 3"),
        ([network(4), network(4, outputs=5)], r"alike in `outputs`, but got \[4, 5\]"),
        ([torch.nn.Linear(3, 2)], "type ResNet with the layers that they came with, but got Linear, ResNet"),
        ([other_layers()], "with the layers that they came with"),
    ],
)
def test_what_does_not_fit_is_one_line_and_changes_nothing(given, told):
    wide = network(8)
    before = {name: tensor.clone() for name, tensor in wide.state_dict().items()}
    with pytest.raises(ValueError, match=told):
        join(given, wide)
    assert all(torch.equal(tensor, before[name]) for name, tensor in wide.state_dict().items())


def test_one_network_will_do():
    narrow, one, several = network(4), network(8), network(8)
    join(narrow, one)
    join([narrow], several)
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), several.parameters(), strict=True))


def test_a_network_is_not_joined_into_itself():
    wide = network(4)
    with pytest.raises(ValueError, match="it is one of them"):
        join([wide], wide)


def test_checks_draw_no_random_numbers():
    narrow, wide = network(4), network(8)
    torch.manual_seed(0)
    join([narrow], wide)
    drawn = torch.rand(3)
    torch.manual_seed(0)
    assert torch.equal(drawn, torch.rand(3))


def test_where_the_wide_one_looks_at_mirror_images_too_the_mean_is_of_both_sides():
    narrow, plain = different(2), network(8)
    wide = symmetric(plain)
    join(narrow, wide)
    mean = torch.stack([net(images) for net in narrow for images in (IMAGES, IMAGES.flip(-1))]).mean(0)
    torch.testing.assert_close(wide(IMAGES), mean, rtol=1e-4, atol=1e-4)
    with pytest.raises(ValueError, match=r"but got some that are symmetric\. Make it symmetric too\."):
        join([symmetric(net) for net in narrow], plain)
