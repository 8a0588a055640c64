"""Posterior samplers come back with the same draws."""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import endd
from endd.families import Categorical
from endd.nn import MLP, ResNet, Variational
from endd.persistence import ModelFolderError
from endd.persistence.folder import read_folder, write_folder
from endd.persistence.samplers import sampler_to_plain
from endd.posteriors import DropoutSampler, SVISampler

FAMILY = Categorical(4)
IMAGES = torch.randn(3, 3, 8, 8, generator=torch.Generator().manual_seed(0))


def dropping() -> nn.Module:
    return nn.Sequential(nn.Linear(3, 6), nn.Dropout(0.5), nn.Linear(6, 4))


@pytest.mark.parametrize(
    ("kind", "net", "x"),
    [
        (DropoutSampler, lambda: ResNet(8, 4, 4, dropout=0.2, head_dropout=0.1), IMAGES),
        (SVISampler, lambda: Variational(ResNet(8, 4, 4), prior_scale=0.5), IMAGES),
        (SVISampler, lambda: Variational(MLP(3, [5], 4), last_only=True), IMAGES[:, :, 0, 0]),
    ],
    ids=["dropout", "svi", "last-layer svi"],
)
def test_a_round_trip(kind: Any, net: Any, x: torch.Tensor, tmp_path: Path) -> None:
    sampler = kind(net(), FAMILY, draws=6, seed=3)
    endd.save(sampler, tmp_path)
    again = endd.load(tmp_path)
    assert type(again) is kind
    assert not again.training
    assert torch.equal(again.predict(x).v.atoms, sampler.predict(x).v.atoms)
    if kind is SVISampler:
        torch.testing.assert_close(again.net.divergence(), sampler.net.divergence())


@pytest.mark.parametrize("uncertain", [False, True])
def test_a_network_of_ones_own_is_brought(uncertain: bool, tmp_path: Path) -> None:
    def make() -> nn.Module:
        return Variational(dropping()) if uncertain else dropping()

    kind: Any = SVISampler if uncertain else DropoutSampler
    sampler, x = kind(make(), FAMILY, draws=5), torch.randn(4, 3)
    endd.save(sampler, tmp_path)
    with pytest.raises(ValueError, match="Expected the network that was saved"):
        endd.load(tmp_path)
    assert torch.equal(endd.load(tmp_path, net=make()).predict(x).v.atoms, sampler.predict(x).v.atoms)


def test_an_ensemble_of_uncertain_networks_comes_back(tmp_path: Path) -> None:
    nets = [Variational(MLP(3, [5], 4)) for _ in range(3)]
    endd.save(endd.Ensemble(nets, FAMILY), tmp_path)
    again, x = endd.load(tmp_path), torch.randn(4, 3)
    for ours, theirs in zip(again.members, nets, strict=True):
        assert torch.equal(SVISampler(ours, FAMILY).predict(x).v.atoms, SVISampler(theirs, FAMILY).predict(x).v.atoms)


@pytest.mark.parametrize(
    "changes", [{"draws": 10**9}, {"draws": "many"}, {"seed": None}, {"net": {"name": "Variational"}}, {"family": 3}]
)
def test_a_forged_description_is_refused(changes: dict[str, Any], tmp_path: Path) -> None:
    endd.save(SVISampler(Variational(MLP(3, [5], 4)), FAMILY), tmp_path)
    described, tensors = read_folder(tmp_path)
    write_folder(tmp_path, described | changes, tensors)
    with pytest.raises(ModelFolderError):
        endd.load(tmp_path)


def test_only_samplers_of_endd_are_written() -> None:
    class Other(DropoutSampler):
        """Of one's own."""

    with pytest.raises(TypeError, match=r"a sampler of endd\.posteriors to save"):
        sampler_to_plain(Other(dropping(), FAMILY))
