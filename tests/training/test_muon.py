"""Steps of Muon against torch's own, one network at a time, and training with it."""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import endd
from endd.nn import MLP, ResNet
from endd.training.muon import Muon, orthogonalised

FAMILY = endd.families.Categorical(4)
QUIET: dict[str, Any] = {"progress": "none"}


@pytest.mark.parametrize("shape", [(6, 12), (16, 144), (64, 32), (1, 9), (9, 1)])
def test_singular_values_are_near_one_and_vectors_stay(shape: tuple[int, int]) -> None:
    torch.manual_seed(0)
    matrices = torch.randn(20, *shape, dtype=torch.float64)
    found = orthogonalised(matrices)
    values = torch.linalg.svdvals(found)
    assert 0.4 < float(values.min()) <= float(values.max()) < 1.3
    # the same singular vectors: M' O is symmetric and positive
    both = matrices.mT @ found
    torch.testing.assert_close(both, both.mT)
    assert float(torch.linalg.eigvalsh(both).min()) > -1e-9


def test_zeros_stay() -> None:
    assert orthogonalised(torch.zeros(2, 3, 4)).tolist() == torch.zeros(2, 3, 4).tolist()


def _layers(networks: int) -> list[nn.Parameter]:
    shapes = [(8, 3, 3, 3), (8,), (12, 8, 3, 3), (12,), (6, 12), (6,)]
    return [nn.Parameter(torch.randn(networks, *shape)) for shape in shapes]


def test_every_network_takes_the_steps_that_torch_would() -> None:
    """Matrices against torch.optim.Muon, in half precision there; the last layer and vectors against AdamW."""
    torch.manual_seed(0)
    stacked, decay = _layers(3), 0.3
    optimiser = Muon(stacked, lr=0.05, weight_decay=decay)
    own = [[nn.Parameter(tensor[track].detach().clone()) for tensor in stacked] for track in range(3)]
    flat = [[nn.Parameter(network[place].detach().flatten(1)) for place in (0, 2)] for network in own]
    theirs: list[torch.optim.Optimizer] = []
    for network, matrices in zip(own, flat, strict=True):
        theirs.append(torch.optim.Muon(matrices, lr=0.05, weight_decay=decay, adjust_lr_fn="match_rms_adamw"))
        theirs.append(torch.optim.AdamW(network[4:5], lr=0.05, weight_decay=decay))
        theirs.append(torch.optim.AdamW([network[1], network[3], network[5]], lr=0.05, weight_decay=0.0))
    for _ in range(4):
        for tensor in stacked:
            tensor.grad = torch.randn_like(tensor)
        for track in range(3):
            for place, tensor in enumerate(stacked):
                assert tensor.grad is not None
                own[track][place].grad = tensor.grad[track].clone()
            for matrix, place in zip(flat[track], (0, 2), strict=True):
                matrix.grad = stacked[place].grad[track].flatten(1)  # type: ignore[index]
        optimiser.step()
        for other in theirs:
            other.step()
    for track in range(3):
        for place in (1, 3, 4, 5):
            torch.testing.assert_close(stacked[place][track], own[track][place])
        for matrix, place in zip(flat[track], (0, 2), strict=True):
            torch.testing.assert_close(stacked[place][track].flatten(1), matrix, rtol=0.0, atol=0.02)


def test_parameters_without_a_gradient_stay() -> None:
    parameters = _layers(2)
    before = [tensor.detach().clone() for tensor in parameters]
    Muon(parameters, lr=0.1, weight_decay=0.1).step()
    assert all(torch.equal(a, b) for a, b in zip(parameters, before, strict=True))


def test_a_closure_is_asked_for_the_loss() -> None:
    parameters = _layers(1)
    optimiser = Muon(parameters, lr=0.01)

    def loss() -> float:
        optimiser.zero_grad()
        total = torch.stack([tensor.square().sum() for tensor in parameters]).sum()
        total.backward()
        return float(total.detach())

    found = [optimiser.step(loss) for _ in range(3)]
    assert found == sorted(found, reverse=True)  # type: ignore[type-var]


def _members(kind: str, count: int) -> list[nn.Module]:
    torch.manual_seed(1)
    return [ResNet(8, 4, 4) if kind == "images" else MLP(5, [8, 8], 4) for _ in range(count)]


def _trained(members: list[nn.Module], x: Tensor, y: Tensor) -> list[Tensor]:
    ensemble = endd.Ensemble(members, FAMILY)
    # one batch an epoch: the order of rows, which members draw together, plays no part
    how: dict[str, Any] = {"epochs": 3, "batch_size": len(x), "optimiser": "muon", "weight_decay": 0.05}
    endd.fit_ensemble(ensemble, (x, y), **how, **QUIET)
    return [p.detach() for p in ensemble.parameters()]


@pytest.mark.parametrize("kind", ["images", "table"])
def test_side_by_side_is_one_by_one(kind: str) -> None:
    torch.manual_seed(0)
    x = torch.randn(32, 5) if kind == "table" else torch.randn(32, 3, 8, 8)
    y = torch.randint(4, (32,))
    together = _trained(_members(kind, 3), x, y)
    alone = [p for member in _members(kind, 3) for p in _trained([member], x, y)]
    torch.testing.assert_close(together, alone, rtol=1e-3, atol=1e-4)


def test_a_run_that_was_stopped_ends_the_same(tmp_path: Path) -> None:
    x, y, stop_at = torch.randn(48, 5), torch.randint(4, (48,)), 10

    def schedule(step: int, total: int, per_epoch: int) -> float:
        if step == stop_at:
            raise KeyboardInterrupt
        return 1.0

    def fit(run: Path, **options: Any) -> list[Tensor]:
        ensemble = endd.Ensemble(_members("table", 2), FAMILY)
        how: dict[str, Any] = {"epochs": 6, "batch_size": 16, "optimiser": "muon", "schedule": schedule}
        endd.fit_ensemble(ensemble, (x, y), run=run, checkpoint_seconds=0, **how, **QUIET, **options)
        return list(ensemble.parameters())

    with pytest.raises(KeyboardInterrupt):
        fit(tmp_path / "run")
    stop_at = -1
    resumed, whole = fit(tmp_path / "run", resume=True), fit(tmp_path / "whole")
    assert all(torch.equal(a, b) for a, b in zip(resumed, whole, strict=True))
