"""What networks have to be like to learn, and to learn side by side."""

import pytest
import torch
from torch import nn

import endd
from endd.families import Gaussian
from endd.nn import MLP, ResNet
from endd.training import fit_ensemble
from endd.training.networks import RawStudent, check_networks, groups_of, network_of

FAMILY = Gaussian()
X, Y = torch.randn(10, 2), torch.randn(10)


def test_members_with_different_outputs_are_named() -> None:
    ensemble = endd.Ensemble([MLP(2, [4], 2), MLP(2, [4], 3)], FAMILY)
    with pytest.raises(ValueError, match=r"2 outputs for Gaussian.*network 1 gives 3"):
        fit_ensemble(ensemble, (X, Y), epochs=3, progress="none")


def test_networks_are_tried_without_a_trace() -> None:
    network = nn.Sequential(nn.Linear(2, 4), nn.BatchNorm1d(4), nn.Linear(4, 2))
    before = {name: tensor.clone() for name, tensor in network.state_dict().items()}
    check_networks([network], X, FAMILY, None)
    assert network.training
    torch.testing.assert_close(dict(network.state_dict()), before, rtol=0, atol=0)
    with pytest.raises(ValueError, match=r"network 0 accepts, but got \(1,\) a row"):
        check_networks([network], X[:, :1], FAMILY, None)


def test_images_that_a_symmetric_network_cannot_take_are_one_line() -> None:
    ensemble = endd.Ensemble([ResNet(8, 10, 4, symmetric=True)], endd.families.Categorical(10))
    with pytest.raises(ValueError, match=r"network 0 accepts, but got \(3072,\) a row"):
        fit_ensemble(ensemble, (torch.rand(8, 3072), torch.zeros(8, dtype=torch.long)), epochs=1, progress="none")


def test_networks_that_are_alike_go_together() -> None:
    wide, narrow = (lambda: MLP(2, [8], 2)), (lambda: MLP(2, [4], 2))
    assert groups_of([wide(), narrow(), wide(), nn.Linear(2, 2), narrow()]) == [[0, 2], [1, 4], [3]]


def test_a_bare_network_is_taken_as_it_is() -> None:
    bare = endd.Student(MLP(2, [4], 5), FAMILY)
    assert network_of(bare) is bare.net
    for student in (
        endd.Student(MLP(2, [4], 6), FAMILY, features=6),
        endd.Student(nn.Linear(2, 5), FAMILY),
    ):
        network = network_of(student)
        assert isinstance(network, RawStudent)
        assert network(X).shape == (10, 5)
