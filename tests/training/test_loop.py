"""Early stop, averages and recovery, each for every track on its own."""

import copy
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import endd
from endd.families import Family, Gaussian
from endd.nn import MLP
from endd.training import TrainingDivergedError, fit_ensemble, fit_ensembles
from endd.training.losses import nll

FAMILY = Gaussian()
STEPS = 3  # an epoch
SETTINGS: dict[str, Any] = {"epochs": 4, "batch_size": 16, "progress": "none"}


def examples(rows: int = 40) -> tuple[Tensor, Tensor]:
    x = torch.randn(rows, 2, dtype=torch.float64)
    return x, x.sum(1).sin() + 0.1 * torch.randn(rows, dtype=torch.float64)


def networks(members: int = 3) -> list[MLP]:
    return [MLP(2, [8], 2).double() for _ in range(members)]


def loss_on(x: Tensor, y: Tensor) -> Any:
    return lambda net, rows: nll(FAMILY, net(x[rows]), y[rows]).mean()


def validation_loss(net: nn.Module, state: dict[str, Tensor], x: Tensor, y: Tensor) -> float:
    net = copy.deepcopy(net)
    net.load_state_dict(state)
    with torch.no_grad():
        return float(nll(FAMILY, net(x), y).mean())


def same(net: nn.Module, state: dict[str, Tensor]) -> None:
    torch.testing.assert_close(dict(net.state_dict()), state)


def equal(net: nn.Module, other: nn.Module) -> bool:
    pairs = zip(net.state_dict().values(), other.state_dict().values(), strict=True)
    return all(torch.equal(a, b) for a, b in pairs)


class Goes:
    """A loss that is NaN for one track at some of its calls, counted from 1."""

    def __init__(self, track: int, calls: tuple[int, ...]) -> None:
        self.track, self.calls, self.count = track, calls, 0

    def __call__(self, family: Family, z: Tensor, y: Tensor) -> Tensor:
        self.count += 1
        losses = nll(family, z, y)
        factor = torch.ones(len(z), 1)
        if self.count in self.calls:
            factor[self.track] = float("nan")
        return losses * factor


# -- precision -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("precision", ["32-true", "64-true", "bf16-mixed"])
def test_any_precision_trains_and_the_networks_keep_their_type(precision: str) -> None:
    nets, (x, y) = [net.float() for net in networks()], examples()
    options = {**SETTINGS, "epochs": 20, "precision": precision, "ema": 0.8}
    history = fit_ensemble(endd.Ensemble(nets, FAMILY), (x, y), validation=(x, y), **options)
    assert history.rows[-1]["validation"] < history.rows[0]["validation"] - 0.1
    assert {p.dtype for net in nets for p in net.parameters()} == {torch.float32}


# -- averages ------------------------------------------------------------------------------------------------------


def test_the_moving_average_is_what_is_kept(alone: Any) -> None:
    nets, (x, y) = networks(), examples()
    single = copy.deepcopy(nets)
    fit_ensemble(endd.Ensemble(nets, FAMILY), (x, y), ema=0.8, **SETTINGS)
    for track, net in enumerate(single):
        same(nets[track], alone([40], [0] * 3, 16, 4).train(net, track, loss_on(x, y), ema=0.8)[-1])


def test_running_statistics_are_averaged_with_the_weights(alone: Any) -> None:
    nets = [nn.Sequential(nn.Linear(2, 8), nn.BatchNorm1d(8), nn.Linear(8, 2)).double() for _ in range(3)]
    single, (x, y) = copy.deepcopy(nets), examples()
    fit_ensemble(endd.Ensemble(nets, FAMILY), (x, y), ema=0.8, **SETTINGS)
    for track, net in enumerate(single):
        same(nets[track], alone([40], [0] * 3, 16, 4).train(net, track, loss_on(x, y), ema=0.8)[-1])


# -- early stopping ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ema", [None, 0.8])
@pytest.mark.parametrize("patience", [None, 1, 3])
def test_every_member_keeps_the_weights_of_its_own_best_epoch(
    patience: int | None, ema: float | None, alone: Any
) -> None:
    nets, (x, y), held_out = networks(4), examples(), examples(20)
    single = copy.deepcopy(nets)
    options = {**SETTINGS, "epochs": 15, "ema": ema, "schedule": lambda *_: 5.0}
    history = fit_ensemble(endd.Ensemble(nets, FAMILY), (x, y), validation=held_out, patience=patience, **options)
    best, ends, curves = [], [], []
    for track, net in enumerate(single):
        train = alone([40], [0] * 4, 16, 15).train
        states = train(net, track, loss_on(x, y), ema=ema, schedule=lambda *_: 5.0)
        curve = [validation_loss(net, state, *held_out) for state in states]
        first, end = stops(curve, patience)
        same(nets[track], states[first])
        best.append(first + 1)
        ends.append(end)
        curves.append(curve)
    assert history.best_epoch == best
    assert len(history.rows) == max(ends)
    assert [row["validation"] for row in history.rows] == pytest.approx(
        [sum(curve[epoch] for curve in curves) / 4 for epoch in range(max(ends))]
    )
    assert len(set(best)) > 1


def stops(curve: list[float], patience: int | None) -> tuple[int, int]:
    """The best epoch (from 0) up to the stop, and how many epochs were needed."""
    best = 0
    for epoch, loss in enumerate(curve):
        if loss < curve[best]:
            best = epoch
        if patience is not None and epoch - best >= patience:
            return best, epoch + 1
    return best, len(curve)


def test_a_run_without_validation_has_no_best_epoch() -> None:
    history = fit_ensemble(endd.Ensemble(networks(), FAMILY), examples(), **SETTINGS)
    assert history.best_epoch is None
    assert all(row.keys() == {"loss", "learning_rate"} for row in history.rows)


# -- recovery ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ema", [None, 0.8])
@pytest.mark.parametrize("clip", [None, 1.0])
def test_a_member_that_goes_nan_is_named_and_the_others_do_not_notice(ema: float | None, clip: float | None) -> None:
    nets, data = networks(), examples()
    undisturbed = copy.deepcopy(nets)
    options = {**SETTINGS, "ema": ema, "clip": clip}
    history = fit_ensemble(endd.Ensemble(nets, FAMILY), data, loss=Goes(1, (8,)), **options)
    fit_ensemble(endd.Ensemble(undisturbed, FAMILY), data, **options)
    assert history.restarts == ["member 1 went NaN at step 8 and was restarted with half the step"]
    assert equal(nets[0], undisturbed[0])
    assert equal(nets[2], undisturbed[2])
    assert not equal(nets[1], undisturbed[1])
    assert all(p.isfinite().all() for p in nets[1].parameters())
    assert all(torch.tensor(history.loss).isfinite())


def test_a_restart_goes_back_to_the_end_of_the_last_epoch(alone: Any) -> None:
    nets, (x, y) = networks(), examples()
    start = copy.deepcopy(nets[1])
    # the last step of epoch 3 goes wrong: what is left is the end of epoch 2
    options = {**SETTINGS, "epochs": 3, "schedule": "constant"}
    fit_ensemble(endd.Ensemble(nets, FAMILY), (x, y), loss=Goes(1, (9,)), **options)
    same(nets[1], alone([40], [0] * 3, 16, 2).train(start, 1, loss_on(x, y), schedule=lambda *_: 1.0)[-1])


def test_half_the_step_is_half_the_learning_rate_under_sgd(alone: Any) -> None:
    nets, (x, y) = networks(), examples()
    single = copy.deepcopy(nets[1])
    sgd = {"optimiser": lambda p: torch.optim.SGD(p, lr=0.01)}
    # the very first step goes wrong: from then on half the rate from the start
    fit_ensemble(endd.Ensemble(nets, FAMILY), (x, y), loss=Goes(1, (1,)), schedule="constant", **sgd, **SETTINGS)
    reference = alone([40], [0] * 3, 16, 4)
    reference.epochs[0] = reference.epochs[0][1:]
    same(nets[1], reference.train(single, 1, loss_on(x, y), schedule=lambda *_: 0.5, **sgd)[-1])


def test_after_two_restarts_training_gives_up() -> None:
    ensemble = endd.Ensemble(networks(), FAMILY)
    with pytest.raises(TrainingDivergedError, match=r"member 1 went NaN at step 6 \(epoch 1\) after 2 restarts"):
        fit_ensemble(ensemble, examples(), loss=Goes(1, (2, 4, 6)), **SETTINGS)


def test_two_restarts_are_survived() -> None:
    nets = networks()
    history = fit_ensemble(endd.Ensemble(nets, FAMILY), examples(), loss=Goes(2, (1, 5)), **SETTINGS)
    assert [line.split(" and ")[0] for line in history.restarts] == [
        "member 2 went NaN at step 1",
        "member 2 went NaN at step 5",
    ]
    assert len(history.rows) == 4


def test_a_huge_learning_rate_diverges_in_words() -> None:
    ensemble = endd.Ensemble(networks(), FAMILY)
    with pytest.raises(TrainingDivergedError, match="Lower learning_rate, set clip"):
        fit_ensemble(ensemble, examples(), learning_rate=1e300, schedule="constant", **{**SETTINGS, "epochs": 10})


@pytest.mark.parametrize("call", [5, 6], ids=["within-an-epoch", "at-its-end"])
def test_an_infinite_gradient_of_a_finite_loss_is_noticed(call: int) -> None:
    nets, calls = networks(), []

    def loss(family: Family, z: Tensor, y: Tensor) -> Tensor:
        calls.append(1)
        losses = nll(family, z, y)
        if len(calls) != call:
            return losses
        # sqrt has an infinite slope at 0: the loss of track 1 stays finite and its gradient does not
        return torch.stack([losses[0], losses[1] + (0 * losses[1]).sqrt(), losses[2]])

    history = fit_ensemble(endd.Ensemble(nets, FAMILY), examples(), loss=loss, ema=0.9, **SETTINGS)
    assert len(history.restarts) == 1
    assert history.restarts[0].startswith("member 1 went NaN at step 6")
    assert all(p.isfinite().all() for net in nets for p in net.parameters())


def test_a_member_that_has_stopped_may_go_nan() -> None:
    nets, held_out = networks(2), examples(20)
    twins = copy.deepcopy(nets)
    options = {**SETTINGS, "epochs": 12, "patience": 2, "validation": held_out, "schedule": lambda *_: 5.0}
    data = examples()
    calm = fit_ensemble(endd.Ensemble(twins, FAMILY), data, **options)
    assert calm.best_epoch is not None
    early = calm.best_epoch.index(min(calm.best_epoch))
    assert len(calm.rows) > min(calm.best_epoch) + 2
    # STEPS training calls and one for validation an epoch
    after = (min(calm.best_epoch) + 2) * (STEPS + 1)
    loss = Goes(early, (after + 1, after + 2, after + 3))
    history = fit_ensemble(endd.Ensemble(nets, FAMILY), data, loss=loss, **options)
    assert history.restarts == []
    assert history.best_epoch == calm.best_epoch
    assert equal(nets[early], twins[early])


def test_members_of_several_ensembles_and_kinds_are_named_rightly() -> None:
    first = endd.Ensemble([*networks(1), nn.Linear(2, 2).double(), *networks(1)], FAMILY)
    history = fit_ensemble(first, examples(), loss=Goes(1, (2,)), **SETTINGS)
    assert history.restarts[0].startswith("member 2 went NaN at step 2 ")
    pair = [endd.Ensemble(networks(2), FAMILY) for _ in range(2)]
    history = fit_ensembles(pair, [examples(), examples()], loss=Goes(3, (2,)), **SETTINGS)
    assert history.restarts[0].startswith("member 1 of ensemble 1 went NaN at step 2 ")
