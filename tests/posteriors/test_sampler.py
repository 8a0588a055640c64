"""What all posterior samplers do: fixed draws that are Members, and inference that touches nothing."""

import copy
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import endd
from endd.families import Categorical, Family, Gaussian
from endd.nn import MLP, ResNet, Variational
from endd.nn.grouped import takes_groups
from endd.posteriors import DropoutSampler, Sampler, SVISampler
from endd.posteriors.sampler import worth_sharing

FAMILY = Categorical(4)


def dropping(outputs: int = 4) -> nn.Module:
    return nn.Sequential(nn.Linear(3, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.4), nn.Linear(16, outputs))


def make(kind: str, family: Family = FAMILY, **options: Any) -> Sampler:
    P = family.num_parameters
    if kind == "dropout":
        return DropoutSampler(dropping(P), family, **options)
    if kind == "svi":
        return SVISampler(Variational(MLP(3, [16], P), start=0.5), family, **options)
    return SVISampler(Variational(MLP(3, [16], P), start=0.5, last_only=True), family, **options)


KINDS = ["dropout", "svi", "last_layer_svi"]
X = torch.randn(7, 3, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("family", [Categorical(4), Gaussian()], ids=["categorical", "gaussian"])
@pytest.mark.parametrize("kind", KINDS)
def test_draws_are_members_that_differ(kind: str, family: Family) -> None:
    prediction = make(kind, family, draws=20).predict(X)
    assert isinstance(prediction.v, endd.Members)
    assert prediction.v.atoms.shape == (20, 7, family.num_parameters)
    assert bool((prediction.epistemic > 0).all())
    assert not prediction.v.atoms.requires_grad


@pytest.mark.parametrize("kind", KINDS)
def test_predictions_repeat_and_leave_modes_buffers_and_generators_alone(kind: str) -> None:
    sampler = make(kind)
    assert sampler.net.training
    before = [buffer.clone() for buffer in sampler.buffers()]
    state = torch.random.get_rng_state()
    first, second = sampler.predict(X), sampler.predict(X)
    assert torch.equal(first.v.atoms, second.v.atoms)
    assert torch.equal(state, torch.random.get_rng_state())
    assert all(part.training for part in sampler.modules())
    assert all(torch.equal(a, b) for a, b in zip(before, sampler.buffers(), strict=True))
    assert torch.equal(sampler.eval().predict(X).v.atoms, first.v.atoms)


@pytest.mark.parametrize("kind", KINDS)
def test_a_row_does_not_depend_on_its_batch(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sampler = make(kind)
    z = sampler.predict(X).v.atoms
    torch.testing.assert_close(sampler.predict(X[2:4]).v.atoms, z[:, 2:4])
    monkeypatch.setattr("endd.posteriors.sampler.AT_ONCE", 60)
    torch.testing.assert_close(sampler.predict(X).v.atoms, z)


@pytest.mark.parametrize("kind", KINDS)
def test_threads_agree_bit_for_bit(kind: str) -> None:
    sampler = make(kind)
    expected = sampler.predict(X).epistemic
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: sampler.predict(X).epistemic, range(16)))
    assert all(torch.equal(result, expected) for result in results)


@pytest.mark.parametrize("kind", KINDS)
def test_more_draws_begin_with_the_same_and_seeds_differ(kind: str) -> None:
    short = make(kind, draws=5)
    z = short.predict(X).v.atoms
    long = type(short)(short.net, FAMILY, 12)  # type: ignore[arg-type]
    torch.testing.assert_close(long.predict(X).v.atoms[:5], z)
    other = type(short)(short.net, FAMILY, 5, seed=1)  # type: ignore[arg-type]
    assert not torch.allclose(other.predict(X).v.atoms, z)


@pytest.mark.parametrize("kind", KINDS)
def test_draws_follow_the_weights_and_the_dtype(kind: str) -> None:
    sampler = make(kind)
    before = sampler.predict(X).v.atoms
    last = [part for part in sampler.net.modules() if hasattr(part, "bias") and part.bias is not None][-1]
    with torch.no_grad():
        last.bias.add_(1.0)
    torch.testing.assert_close(sampler.predict(X).v.atoms, before + 1)
    assert sampler.double().predict(X).v.atoms.dtype == torch.float64


@pytest.mark.parametrize("kind", KINDS)
def test_a_call_has_gradients(kind: str) -> None:
    sampler = make(kind)
    sampler(X).atoms.square().sum().backward()
    assert all(p.grad is not None for p in sampler.net.parameters())


@pytest.mark.parametrize("kind", KINDS)
def test_samplers_copy_and_pickle(kind: str) -> None:
    sampler = make(kind)
    expected = sampler.predict(X).probs
    for other in (copy.deepcopy(sampler), pickle.loads(pickle.dumps(sampler))):
        assert torch.equal(other.predict(X).probs, expected)
    assert "draws=30, seed=0" in repr(sampler)


class Looking(nn.Module):
    """Looks at its data to decide what to do, which torch.vmap refuses; takes its inputs by name."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(3, 8), nn.Linear(8, 8)
        self.drop, self.last = nn.Dropout(0.5), nn.Linear(8, 4)

    def forward(self, *, x: Tensor) -> dict[str, Tensor]:
        z: Tensor = self.last(self.drop(self.second(self.first(x))))
        return {"logits": z.tanh() if z.sum() > 1e9 else z}


@pytest.mark.parametrize("kind", KINDS)
def test_together_or_one_by_one_is_the_same(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sampler, found = make(kind), []
    for together in (True, False):
        monkeypatch.setattr("endd.posteriors.sampler.worth_sharing", lambda net, tensors, say=together: say)
        found.append(sampler.predict(X).v.atoms)
    torch.testing.assert_close(*found)


@pytest.mark.parametrize(
    "make",
    [
        lambda: SVISampler(Variational(ResNet(8, 4, 4), start=0.5), FAMILY, draws=6),
        lambda: DropoutSampler(ResNet(8, 4, 4, dropout=0.3), FAMILY, draws=6),
        lambda: DropoutSampler(ResNet(8, 4, 4, dropout=0.2, head_dropout=0.5), FAMILY, draws=6),
    ],
    ids=["svi", "dropout", "dropout everywhere"],
)
def test_draws_of_a_residual_network_as_groups_are_the_same(
    make: Callable[[], Sampler], monkeypatch: pytest.MonkeyPatch
) -> None:
    images = torch.randint(0, 256, (5, 3, 8, 8), dtype=torch.uint8)
    sampler = make().eval()
    expected = sampler.predict(images).v.atoms
    assert (expected[0] - expected[1]).abs().max() > 0.01
    for name in ("worth_sharing", "worth_grouping"):
        monkeypatch.setattr(f"endd.posteriors.sampler.{name}", lambda net, tensors: True)
    torch.testing.assert_close(sampler.predict(images).v.atoms, expected)
    net, tensors = sampler._drawn()
    assert takes_groups(net)
    assert {*tensors} <= {*net.state_dict()}


@pytest.mark.parametrize(
    ("options", "worth"), [({"dropout": 0.1}, False), ({"head_dropout": 0.1}, True)], ids=["everywhere", "last layer"]
)
def test_on_a_cpu_draws_share_a_long_trunk(options: dict[str, float], worth: bool) -> None:
    assert worth_sharing(*DropoutSampler(ResNet(8, 4, 4, **options), FAMILY)._drawn()) is worth


def test_what_vmap_refuses_runs_draw_by_draw_and_inputs_may_have_names() -> None:
    net = Looking()
    z = DropoutSampler(net, FAMILY, output="logits").predict({"x": X}).v.atoms
    plain = nn.Sequential(net.first, net.second, net.drop, net.last)
    torch.testing.assert_close(z, DropoutSampler(plain, FAMILY).predict(X).v.atoms)


@pytest.mark.parametrize(
    "net",
    [
        lambda: ResNet(8, 4, 4, dropout=0.2),
        lambda: ResNet(8, 4, 4, head_dropout=0.5),
        lambda: Variational(ResNet(8, 4, 4)),
        lambda: Variational(ResNet(8, 4, 4), last_only=True),
    ],
    ids=["dropout", "last-layer dropout", "svi", "last-layer svi"],
)
def test_residual_networks_on_pixels(net: Any) -> None:
    made = net()
    kind: Any = SVISampler if isinstance(made, Variational) else DropoutSampler
    sampler = kind(made, FAMILY, draws=6)
    x = torch.randint(0, 256, (5, 3, 16, 16)).to(torch.uint8)
    prediction = sampler.predict(x)
    assert prediction.probs.shape == (5, 4)
    assert bool((prediction.epistemic > 0).all())


def test_a_sampler_can_be_distilled() -> None:
    student = endd.Student(MLP(3, [8], 4), FAMILY, endd.Dirichlet)
    history = endd.distill(make("dropout"), student, X, epochs=3, progress="none", device="cpu")
    assert len(history.loss) == 3


def test_arguments_are_checked() -> None:
    with pytest.raises(ValueError, match="`draws` of at least 1, but got 0"):
        make("dropout", draws=0)
    with pytest.raises(TypeError, match=r"`net` to be a torch\.nn\.Module, but got 'net'"):
        DropoutSampler("net", FAMILY)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="4 parameters in its last dimension"):
        DropoutSampler(dropping(3), FAMILY).predict(X)
