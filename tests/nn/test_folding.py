"""Batch norms as a part of convolutions."""

import copy

import pytest
import torch
from torch import nn

import endd
from endd.nn import DenseNet, ResNet, Variational
from endd.nn.folding import folded
from endd.nn.grouped import takes_groups
from tests.nn.test_grouped import used

FAMILY = endd.families.Categorical(10)


def norms(model: nn.Module) -> int:
    return sum(isinstance(part, nn.BatchNorm2d) for part in model.modules())


@pytest.mark.parametrize(
    ("network", "left"),
    # a dense layer's first norm stands before its convolution, as those of transitions and the last one do
    [(ResNet(14, 10, 4), 0), (ResNet(8, 10, 3, dropout=0.1), 0), (DenseNet((2, 2), 3, 10), 6)],
)
def test_the_same_answers_with_fewer_layers(network: ResNet | DenseNet, left: int) -> None:
    (network,) = used([network.double().eval()])
    x = torch.rand(6, 3, 32, 32, dtype=torch.float64)
    before = copy.deepcopy(network.state_dict())
    quick = folded(network)
    torch.testing.assert_close(quick(x), network(x), rtol=1e-10, atol=1e-10)
    assert norms(quick) == left < norms(network)
    assert all(torch.equal(tensor, before[name]) for name, tensor in network.state_dict().items())


def test_models_are_folded_whole_and_from_training_mode_too() -> None:
    ensemble = endd.Ensemble(used([ResNet(8, 10, 4) for _ in range(3)]), FAMILY)
    quick = folded(ensemble.train())
    x = torch.randint(0, 256, (5, 3, 32, 32), dtype=torch.uint8)
    torch.testing.assert_close(quick.predict(x).probs, ensemble.predict(x).probs, rtol=1e-5, atol=1e-6)
    assert norms(quick) == 0
    assert ensemble.training


def test_uncertain_convolutions_stay_as_they_are() -> None:
    network = Variational(ResNet(8, 10, 4)).eval()
    assert norms(folded(network)) == norms(network)


def test_folded_networks_do_not_run_side_by_side() -> None:
    network = ResNet(8, 10, 4).eval()
    assert takes_groups(network)
    assert not takes_groups(folded(network))
