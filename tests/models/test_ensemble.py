"""Ensembles: any list of modules, any input, any output, stacked or not."""

import pytest
import torch
from torch import nn

import endd
from endd.families import Gaussian
from endd.nn import MLP


def mlps(count: int = 5, outputs: int = 2) -> list[nn.Module]:
    return [MLP(3, [8], outputs) for _ in range(count)]


def test_a_call_gives_members_with_gradients() -> None:
    nets = mlps()
    v = endd.Ensemble(nets, Gaussian())(torch.randn(7, 3))
    assert isinstance(v, endd.Members)
    assert v.atoms.shape == (5, 7, 2)
    v.atoms.sum().backward()
    assert all(p.grad is not None for net in nets for p in net.parameters())


def test_predict_equals_the_members_one_by_one() -> None:
    nets, x = mlps(), torch.randn(7, 3)
    prediction = endd.Ensemble(nets, Gaussian()).predict(x)
    z = torch.stack([net(x) for net in nets]).detach()
    torch.testing.assert_close(prediction.v.atoms, z)
    torch.testing.assert_close(prediction.epistemic, z[..., 0].var(0, unbiased=False))
    assert not prediction.v.atoms.requires_grad


def test_a_mixed_list_works_and_is_never_stacked() -> None:
    nets = [MLP(3, [8], 2), nn.Linear(3, 2), MLP(3, [4, 4], 2)]
    assert endd.Ensemble(nets, Gaussian()).predict(torch.randn(5, 3)).v.atoms.shape == (3, 5, 2)
    with pytest.raises(ValueError, match="same class, settings and shapes"):
        endd.Ensemble(nets, Gaussian(), stacking="stacked")


@pytest.mark.parametrize(
    ("modules", "error", "message"),
    [
        ([], ValueError, "at least one network"),
        ([nn.Linear(3, 2), "net"], TypeError, "one of them is 'net'"),
    ],
)
def test_bad_lists_are_named(modules: list[object], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        endd.Ensemble(modules, Gaussian())  # type: ignore[arg-type]


def test_wrong_widths_are_named() -> None:
    with pytest.raises(ValueError, match="2 parameters in its last dimension"):
        endd.Ensemble(mlps(outputs=3), Gaussian()).predict(torch.randn(4, 3))
    with pytest.raises(ValueError, match="outputs of one shape"):
        endd.Ensemble([nn.Linear(3, 2), nn.Linear(3, 3)], Gaussian()).predict(torch.randn(4, 3))
    with pytest.raises(TypeError, match="The order is"):
        endd.Ensemble(Gaussian(), mlps())  # type: ignore[arg-type]


def test_weights_of_members() -> None:
    weights = torch.tensor([0.5, 0.2, 0.1, 0.1, 0.1])
    ensemble = endd.Ensemble(mlps(), Gaussian(), weights=weights)
    torch.testing.assert_close(ensemble.predict(torch.randn(4, 3)).v.weights, weights)


def test_members_of_different_precision_are_each_asked_in_their_own() -> None:
    torch.manual_seed(0)
    single, double = MLP(3, [4], 2), MLP(3, [5], 2).double()
    x = torch.randn(6, 3)
    z = endd.Ensemble([single, double], Gaussian()).predict(x).v.atoms
    with torch.no_grad():
        expected = torch.stack([single(x).double(), double(x.double())])
    torch.testing.assert_close(z.double(), expected)
