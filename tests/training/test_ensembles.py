"""A stacked run equals members trained one by one, and bad data is one clear line."""

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

import endd
from endd.families import Categorical, Gaussian, MultivariateGaussian
from endd.nn import MLP
from endd.training import PowerSteps, fit_ensemble, fit_ensembles
from endd.training.losses import faithful, nll
from endd.training.stack import Stack
from tests.training.test_members import task_of

FAMILY = Gaussian()
SETTINGS: dict[str, Any] = {"epochs": 3, "batch_size": 16, "progress": "none"}


class Residual(nn.Module):
    """A module that nobody knows."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = nn.Linear(2, 6), nn.Linear(8, 2)

    def forward(self, x: Tensor) -> Tensor:
        return self.last(torch.cat([x, self.first(x).tanh()], -1))  # type: ignore[no-any-return]


def convolution() -> nn.Module:
    body = (nn.Conv1d(1, 3, 2, padding=1, bias=False), nn.BatchNorm1d(3), nn.ReLU(), nn.Flatten())
    return nn.Sequential(nn.Unflatten(1, (1, 2)), *body, nn.Linear(9, 2))


MAKERS = {"mlp": lambda: MLP(2, [8], 2), "vmap": Residual, "batch-norm": convolution}


def examples(rows: int = 40, dtype: torch.dtype = torch.float64) -> tuple[Tensor, Tensor]:
    x = torch.randn(rows, 2, dtype=dtype)
    return x, x.sum(1).sin() + 0.1 * torch.randn(rows, dtype=dtype)


def loss_on(x: Tensor, y: Tensor, loss: Any = nll) -> Any:
    return lambda net, rows: loss(FAMILY, net(x[rows]), y[rows]).mean()


def same(net: nn.Module, state: dict[str, Tensor], **tolerance: float) -> None:
    torch.testing.assert_close(dict(net.state_dict()), state, **tolerance)


@pytest.mark.parametrize("clip", [None, 0.3])
@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_the_stack_equals_members_trained_alone(make: Any, clip: float | None, alone: Any) -> None:
    nets, (x, y) = [make().double() for _ in range(3)], examples()
    single = copy.deepcopy(nets)
    fit_ensemble(endd.Ensemble(nets, FAMILY), (x, y), clip=clip, **SETTINGS)
    for track, net in enumerate(single):
        state = alone([40], [0, 0, 0], 16, 3).train(net, track, loss_on(x, y), clip=clip)[-1]
        same(nets[track], state, rtol=1e-5, atol=1e-6 if clip else 1e-9)


def test_members_that_cannot_be_stacked_train_in_turns_on_batches_of_their_own(alone: Any, looking: Any) -> None:
    nets, (x, y) = [looking().double() for _ in range(3)], examples()
    single = copy.deepcopy(nets)
    fit_ensemble(endd.Ensemble(nets, FAMILY), (x, y), **SETTINGS)
    for track, net in enumerate(single):
        same(nets[track], alone([40], [0, 0, 0], 16, 3).train(net, track, loss_on(x, y))[-1])


def test_in_float32_it_is_equal_to_float32(alone: Any) -> None:
    nets, (x, y) = [MLP(2, [8], 2) for _ in range(3)], examples(dtype=torch.float32)
    single = copy.deepcopy(nets)
    fit_ensemble(endd.Ensemble(nets, FAMILY), (x, y), **SETTINGS)
    for track, net in enumerate(single):
        same(nets[track], alone([40], [0] * 3, 16, 3).train(net, track, loss_on(x, y))[-1], rtol=1e-3, atol=1e-4)


def test_optimiser_schedule_and_loss_may_be_ones_own(alone: Any) -> None:
    nets, (x, y) = [MLP(2, [8], 2).double() for _ in range(2)], examples()
    single = copy.deepcopy(nets)

    def optimiser(parameters: Any) -> torch.optim.Optimizer:
        return torch.optim.RMSprop(parameters, lr=3e-3)

    own = {"optimiser": optimiser, "schedule": lambda step, total, per_epoch: 1 / (1 + step)}
    fit_ensemble(endd.Ensemble(nets, FAMILY), (x, y), loss=faithful, **own, **SETTINGS)
    for track, net in enumerate(single):
        same(nets[track], alone([40], [0, 0], 16, 3).train(net, track, loss_on(x, y, faithful), **own)[-1])


def test_folds_side_by_side_equal_each_member_on_its_own_fold(alone: Any) -> None:
    jobs = [[MLP(2, [8], 2).double() for _ in range(3)] for _ in range(2)]
    single, folds = copy.deepcopy(jobs), [examples(40), examples(37)]
    history = fit_ensembles([endd.Ensemble(nets, FAMILY) for nets in jobs], folds, **SETTINGS)
    for track in range(6):
        job, member = divmod(track, 3)
        reference = alone([40, 37], [0, 0, 0, 1, 1, 1], 16, 3)
        same(jobs[job][member], reference.train(single[job][member], track, loss_on(*folds[job]))[-1])
    assert len(history.loss) == 3


def test_a_fold_does_not_see_the_rows_of_another() -> None:
    first, second = [], []
    for other in (examples(40), tuple(100 * part for part in examples(40))):
        torch.manual_seed(1)
        jobs = [[MLP(2, [8], 2).double()] for _ in range(2)]
        fit_ensembles([endd.Ensemble(nets, FAMILY) for nets in jobs], [examples(40), other], **SETTINGS)
        first.append(jobs[0][0].state_dict())
        second.append(jobs[1][0].state_dict())
    assert all(torch.equal(a, b) for a, b in zip(first[0].values(), first[1].values(), strict=True))
    assert not torch.equal(second[0]["layers.0.weight"], second[1]["layers.0.weight"])


def test_every_fold_is_standardised_in_its_own_units() -> None:
    x, y = examples()
    jobs = [endd.Ensemble([MLP(2, [8], 2).double()], FAMILY.in_units(*units)) for units in ((0.0, 1.0), (5.0, 3.0))]
    jobs[1].members[0].load_state_dict(jobs[0].members[0].state_dict())
    fit_ensembles(jobs, [(x, y), (x, 5 + 3 * y)], epochs=3, batch_size=40, progress="none")
    same(jobs[1].members[0], dict(jobs[0].members[0].state_dict()))


def test_a_mixed_ensemble_trains_group_by_group(alone: Any) -> None:
    nets, (x, y) = [MLP(2, [8], 2).double(), Residual().double(), MLP(2, [8], 2).double()], examples()
    single = copy.deepcopy(nets)
    history = fit_ensemble(endd.Ensemble(nets, FAMILY), (x, y), validation=(x, y), **SETTINGS)
    for place, (jobs, track, seed) in enumerate([([0, 0], 0, 0), ([0], 0, 1), ([0, 0], 1, 0)]):
        states = alone([40], jobs, 16, 3, seed).train(single[place], track, loss_on(x, y))
        assert history.best_epoch is not None
        same(nets[place], states[history.best_epoch[place] - 1])


def test_a_seed_gives_the_same_run_and_leaves_the_global_generator_alone() -> None:
    data, before = examples(), torch.random.get_rng_state()
    net = nn.Sequential(nn.Linear(2, 20), nn.Dropout(0.5), nn.Linear(20, 2)).double()
    states = []
    for seed in (1, 1, 2):
        nets = [copy.deepcopy(net) for _ in range(2)]
        torch.rand(seed)
        before = torch.random.get_rng_state()
        fit_ensemble(endd.Ensemble(nets, FAMILY), data, seed=seed, **SETTINGS)
        assert torch.equal(before, torch.random.get_rng_state())
        states.append(nets[0].state_dict()["0.weight"])
    assert torch.equal(states[0], states[1])
    assert not torch.equal(states[0], states[2])


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("kind", ["tensors", "arrays", "dataset", "loader"])
def test_data_of_any_kind_and_type_gives_the_same_ensemble(kind: str, precision: str) -> None:
    x, y = (part.to(getattr(torch, precision)) for part in examples())
    data = {
        "tensors": (x, y),
        "arrays": (x.numpy(), y.numpy()),
        "dataset": TensorDataset(x, y),
        "loader": DataLoader(TensorDataset(x, y), batch_size=7),
    }[kind]
    nets = [MLP(2, [4], 2) for _ in range(2)]
    single = copy.deepcopy(nets)
    fit_ensemble(endd.Ensemble(nets, FAMILY), data, **SETTINGS)
    fit_ensemble(endd.Ensemble(single, FAMILY), (x.float(), y.float()), **SETTINGS)
    same(nets[1], dict(single[1].state_dict()), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("family", "y"),
    [
        (Categorical(3), torch.arange(40) % 3),
        (Categorical(3, reference=1), np.arange(40) % 3),
        (MultivariateGaussian(2), torch.randn(40, 2)),
    ],
    ids=["classes", "reference", "vectors"],
)
@pytest.mark.parametrize("schedule", ["constant", PowerSteps(every=1)])
def test_every_family_is_learnt(family: Any, y: Any, schedule: Any) -> None:
    ensemble = endd.Ensemble([MLP(2, [8], family.num_parameters) for _ in range(2)], family)
    options = {**SETTINGS, "epochs": 20, "schedule": schedule}
    history = fit_ensemble(ensemble, (torch.randn(40, 2), y), **options)
    assert history.loss[-1] < history.loss[0]
    assert len(history.rows) == 20


def test_inputs_by_name_and_outputs_by_name() -> None:
    class Named(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(2, 2)

        def forward(self, *, a: Tensor, b: Tensor) -> dict[str, Tensor]:
            return {"z": self.layer(a + b)}

    x, y = examples(dtype=torch.float32)
    named, plain = Named(), nn.Linear(2, 2)
    plain.load_state_dict(named.layer.state_dict())
    fit_ensemble(endd.Ensemble([named], FAMILY, output="z"), ({"a": x, "b": x}, y), **SETTINGS)
    fit_ensemble(endd.Ensemble([plain], FAMILY), (2 * x, y), **SETTINGS)
    same(named.layer, dict(plain.state_dict()))


def test_adversarial_training_makes_losses_nearby_smaller() -> None:
    x, y = examples(dtype=torch.float32)
    start, nearby = MLP(2, [20], 2), []
    for step in (None, 0.05):
        nets = [copy.deepcopy(start)]
        options = {**SETTINGS, "epochs": 40}
        fit_ensemble(endd.Ensemble(nets, FAMILY), (x, y), adversarial=step, **options)
        both, plain = (task_of(x, y, adversarial=s).loss(Stack(nets), (x[None], y[None]), 0) for s in (0.05, None))
        nearby.append(float((2 * both - plain).detach().mean()))
    assert nearby[1] < nearby[0]


X, Y = torch.randn(10, 2), torch.randn(10)


@pytest.mark.parametrize(
    ("data", "options", "error", "message"),
    [
        ((X[:0], Y[:0]), {}, ValueError, "at least one"),
        ((X / 0, Y), {}, ValueError, "finite inputs"),
        ((X, Y / 0), {}, ValueError, "finite targets"),
        ((X[:, :1], Y), {}, ValueError, r"network 0 accepts, but got \(1,\) a row"),
        ((X, Y[:, None]), {}, ValueError, r"Use y.squeeze\(-1\)"),
        ((X, Y), {"validation": (X[:, :1], Y)}, ValueError, r"network 0 accepts, but got \(1,\) a row"),
        ((X, Y), {"validation": (X, Y[:5])}, ValueError, "5 targets and 10 inputs"),
        ((X, Y), {"lr": 1e-3}, ValueError, "but got 'lr'"),
        ((X, Y), {"loss": "mse"}, ValueError, "`loss` to be one of"),
        ((X, Y), {"progress": "loud"}, ValueError, "`progress` to be one of"),
        ((X, Y), {"adversarial": -1.0}, ValueError, "`adversarial` to be a finite number above 0"),
        ((X, Y), {"patience": 3}, ValueError, "`patience`.*validation"),
        ((X, Y), {"validation_weight": torch.ones(10)}, ValueError, "with validation data.* Name `validation`"),
        ((X, Y), {"validation_weight": torch.ones(10), "held_out": 0.2}, ValueError, "its part of `sample_weight`"),
        ((X, Y), {"validation": (X, Y), "held_out": 0.1}, ValueError, "but got both"),
        (({"x": X}, Y), {"adversarial": 0.1}, TypeError, "adversarial"),
        ((X, Y), {"loss": lambda family, z, y: z.sum()}, ValueError, "a loss for each example"),
    ],
)
def test_bad_input_is_one_clear_line_and_leaves_no_folder(
    data: Any, options: dict[str, Any], error: type[Exception], message: str, tmp_path: Path
) -> None:
    nets = [MLP(2, [4], 2) for _ in range(2)]
    before = copy.deepcopy(nets[0].state_dict())
    with pytest.raises(error, match=message) as caught:
        fit_ensemble(endd.Ensemble(nets, FAMILY), data, run=tmp_path / "run", **{"progress": "none", **options})
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "run").exists()
    same(nets[0], dict(before), rtol=0, atol=0)


def test_labels_out_of_range_are_named() -> None:
    ensemble = endd.Ensemble([MLP(2, [4], 3)], Categorical(3))
    with pytest.raises(ValueError, match="classes from 0 to 2"):
        fit_ensemble(ensemble, (X, torch.arange(10)), **SETTINGS)


def test_an_ensemble_has_members() -> None:
    with pytest.raises(ValueError, match="at least one network"):
        fit_ensemble(endd.Ensemble([], FAMILY), (X, Y), **SETTINGS)


@pytest.mark.parametrize(("mode", "shown"), [("lines", "2 members: epoch 3/3"), ("bar", "3/3"), ("none", "")])
def test_a_run_tells_how_it_goes(mode: str, shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    ensemble = endd.Ensemble([MLP(2, [4], 2) for _ in range(2)], FAMILY)
    fit_ensemble(ensemble, (X, Y), **{**SETTINGS, "progress": mode})
    out, err = capsys.readouterr()
    assert out == ""
    assert shown in err
    assert bool(err) == bool(shown)


def test_the_mode_of_every_part_stays_as_it_was() -> None:
    net = nn.Sequential(nn.Linear(2, 4), nn.BatchNorm1d(4).eval(), nn.Linear(4, 2))
    fit_ensemble(endd.Ensemble([net], FAMILY), (X, Y), **SETTINGS)
    assert [part.training for part in net] == [True, False, True]


def test_weights_scale_the_loss_of_each_example(alone: Any) -> None:
    nets, (x, y) = [MLP(2, [8], 2).double() for _ in range(3)], examples()
    single, weights = copy.deepcopy(nets), torch.rand(40, dtype=torch.float64) + 0.1
    fit_ensemble(endd.Ensemble(nets, FAMILY), (x, y), sample_weight=7 * weights, **SETTINGS)

    def loss(net: nn.Module, rows: Tensor) -> Tensor:
        return (weights[rows] / weights.mean() * nll(FAMILY, net(x[rows]), y[rows])).mean()

    for track, net in enumerate(single):
        same(nets[track], alone([40], [0, 0, 0], 16, 3).train(net, track, loss)[-1])


@pytest.mark.parametrize("weights", [torch.ones(39), torch.zeros(40), -torch.ones(40), torch.full((40,), torch.nan)])
def test_bad_weights_are_named(weights: Tensor) -> None:
    ensemble = endd.Ensemble([MLP(2, [8], 2)], FAMILY)
    with pytest.raises(ValueError, match="a weight for each of 40 examples"):
        fit_ensemble(ensemble, examples(dtype=torch.float32), sample_weight=weights, **SETTINGS)


def test_every_batch_is_augmented_and_its_targets_are_not() -> None:
    x, y = examples()
    seen = []

    def shifted(inputs: Tensor, generator: torch.Generator) -> Tensor:
        seen.append(inputs.shape)
        return inputs + 100 + 0 * torch.rand(1, generator=generator)

    def loss(family: Any, z: Tensor, y: Tensor) -> Tensor:
        assert y.abs().max() < 50
        return -family.log_prob(z, y)

    nets = [MLP(2, [4], 2).double() for _ in range(3)]
    fit_ensemble(endd.Ensemble(nets, FAMILY), (x, y), augment=shifted, loss=loss, **SETTINGS)
    assert {shape[0] for shape in seen} == {3}
    assert all(shape[2] == 2 for shape in seen)


def half_square(net: nn.Module) -> Tensor:
    return torch.stack([0.05 * p.square().sum() for p in net.parameters()]).sum()


@pytest.mark.parametrize("precision", ["32-true", "bf16-mixed"])
@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_a_penalty_is_added_to_the_loss_of_every_member(make: Any, precision: str) -> None:
    """Half the squared weights as a penalty are weight decay."""
    data = examples(dtype=torch.float32)
    nets = [make() for _ in range(3)]
    others = copy.deepcopy(nets)
    settings = {**SETTINGS, "optimiser": "sgd", "learning_rate": 0.01, "precision": precision}
    history = fit_ensemble(endd.Ensemble(nets, FAMILY), data, penalty=half_square, **settings)
    plain = fit_ensemble(endd.Ensemble(others, FAMILY), data, weight_decay=0.1, **settings)
    for net, other in zip(nets, others, strict=True):
        same(net, dict(other.state_dict()), rtol=1e-3, atol=1e-4)
    assert history.loss[0] > plain.loss[0]


def test_a_run_remembers_its_penalty(tmp_path: Path) -> None:
    data, ensemble = examples(dtype=torch.float32), endd.Ensemble([MLP(2, [4], 2)], FAMILY)
    fit_ensemble(ensemble, data, penalty=half_square, run=tmp_path, **SETTINGS)
    with pytest.raises(ValueError, match="but penalty was"):
        fit_ensemble(ensemble, data, run=tmp_path, resume=True, **SETTINGS)
