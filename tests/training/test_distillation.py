"""A student learns what its teacher says, whatever teacher and inputs come as."""

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.distributions import Distribution
from torch.utils.data import DataLoader, Dataset, TensorDataset

import endd
from endd.distributions import Atoms
from endd.families import Categorical, Gaussian, Poisson
from endd.nn import MLP
from endd.objectives import (
    Annealing,
    DirichletDistillation,
    DistributionDistillation,
    MixtureDistillation,
    Objective,
)
from endd.training import distill, distill_many, transfer_pool
from endd.training.distillation import copy_matching, default_objective

FAMILY = Gaussian()
SETTINGS: dict[str, Any] = {"epochs": 3, "batch_size": 16, "progress": "none"}
STANDING: dict[str, Any] = {**SETTINGS, "learning_rate": 1e-12}  # a student that all but stays where it is
X = torch.linspace(-1, 1, 40).unsqueeze(-1)


class Constant(nn.Module):
    """Says the same of every input."""

    def __init__(self, *z: float) -> None:
        super().__init__()
        self.z = nn.Parameter(torch.tensor(z))

    def forward(self, x: Tensor) -> Tensor:
        return self.z.expand(*x.shape[:-1], -1)


def constants(*means: float, weights: Tensor | None = None) -> endd.Ensemble:
    return endd.Ensemble([Constant(mean, 0.0) for mean in means], FAMILY, weights=weights)


def lines(members: int = 20) -> Tensor:
    """Outputs (M, N, 2) of members: parallel lines for the mean, levels for the raw variance."""
    level = torch.randn(members, 1, 2) @ torch.tensor([[1.0, 0.5], [0.0, 0.6]])
    return level + 2 * X * torch.tensor([1.0, 0.0])


def student(outputs: int = 5, inputs: int = 1, **options: Any) -> endd.Student:
    torch.manual_seed(7)
    return endd.Student(MLP(inputs, [6], outputs), FAMILY, **options)


def same(a: nn.Module, b: nn.Module, **tolerance: float) -> None:
    torch.testing.assert_close(dict(a.state_dict()), dict(b.state_dict()), **tolerance)


class Recorded(Objective):
    """Another objective, with a note of what it was given."""

    def __init__(self, base: Objective) -> None:
        self.base = base
        self.trained: list[Tensor] = []
        self.validated: list[Tensor] = []
        self.students: list[Tensor] = []

    def __call__(self, v: Distribution, teacher: Atoms, y: Tensor | None = None) -> Tensor:
        (self.trained if torch.is_grad_enabled() else self.validated).append(teacher.atoms)
        self.students.append(v.mean.detach())
        return self.base(v, teacher, y)


# -- what is learnt ------------------------------------------------------------------------------------------------

THOROUGH: dict[str, Any] = {"epochs": 400, "batch_size": 40, "learning_rate": 0.2, "progress": "none"}


def test_a_normal_student_has_the_mean_and_the_covariance_of_the_members() -> None:
    z, learner = lines(), endd.Student(MLP(1, [], 5), FAMILY)
    distill(z, learner, X, **THOROUGH)
    v = learner.predict(X).v
    torch.testing.assert_close(v.mean, z.mean(0), rtol=0.02, atol=0.02)
    covariance = torch.cov(z[:, 0].T, correction=0)
    torch.testing.assert_close(v.covariance_matrix, covariance.expand(40, 2, 2), rtol=0.02, atol=0.002)


def test_a_point_student_has_the_mean_and_the_variance_of_the_mixture() -> None:
    z, learner = lines(), endd.Student(MLP(1, [], 2), FAMILY, v=endd.Point)
    distill(z, learner, X, **THOROUGH)
    prediction, mixture = learner.predict(X), endd.marginal(FAMILY, endd.Members(z))
    torch.testing.assert_close(prediction.mean, mixture.mean, rtol=0.02, atol=0.02)
    torch.testing.assert_close(prediction.variance, mixture.variance, rtol=0.02, atol=0.0)


def test_members_count_by_their_weights() -> None:
    corners, weights = [Constant(0.0, 0.0), Constant(1.0, 0.0), Constant(0.0, 1.0)], torch.tensor([0.5, 0.4, 0.1])
    learner = endd.Student(MLP(1, [], 5), FAMILY)
    distill(endd.Ensemble(corners, FAMILY, weights=weights), learner, X, **THOROUGH)
    v = learner.predict(X).v
    torch.testing.assert_close(v.mean, torch.tensor([[0.4, 0.1]]).expand(40, 2), rtol=0.02, atol=0.002)
    torch.testing.assert_close(v.variance, torch.tensor([[0.24, 0.09]]).expand(40, 2), rtol=0.02, atol=0.002)


@pytest.mark.parametrize(
    ("family", "v"),
    [
        (Gaussian(), endd.DiagonalNormal),
        (Gaussian(), endd.FullNormal),
        (Poisson(), None),
        (Categorical(4), None),
        (Categorical(4), endd.ModuloShift.of(endd.DiagonalNormal)),
        (Categorical(4), endd.Dirichlet),
        (Categorical(4), endd.Point),
        (Categorical(4, reference=0), endd.LowRankNormal.of(rank=1)),
    ],
    ids=str,
)
def test_every_v_is_learnt(family: Any, v: Any) -> None:
    learner = endd.Student(MLP(1, [6], endd.num_outputs(family, v)), family, v=v)
    z = torch.randn(5, 1, family.num_parameters) + X @ torch.randn(5, 1, family.num_parameters)
    history = distill(z, learner, X, **{**SETTINGS, "epochs": 10})
    assert history.loss[-1] < history.loss[0]


# -- teachers ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["ensemble", "array", "path", "string"])
def test_a_teacher_is_a_model_or_its_outputs(kind: str, tmp_path: Path) -> None:
    ensemble = endd.Ensemble([MLP(1, [4], 2) for _ in range(3)], FAMILY)
    z = ensemble.predict(X).v.atoms
    np.save(tmp_path / "z.npy", z.numpy())
    teacher = {"ensemble": ensemble, "array": z.numpy(), "path": tmp_path / "z.npy", "string": str(tmp_path / "z.npy")}
    reference, learner = student(), student()
    distill(z, reference, X, **SETTINGS)
    distill(teacher[kind], learner, X, **SETTINGS)
    same(learner, reference)


@pytest.mark.parametrize("form", ["logits", "probs"])
def test_outputs_of_classifiers_have_forms(form: str) -> None:
    logits = torch.randn(4, 40, 3)
    reference = endd.Student(MLP(1, [6], endd.num_outputs(Categorical(3))), Categorical(3))
    learner = copy.deepcopy(reference)
    distill(logits, reference, X, **SETTINGS)
    distill(logits if form == "logits" else logits.softmax(-1), learner, X, form=form, **SETTINGS)
    same(learner, reference, rtol=1e-3, atol=1e-4)


def test_outputs_of_regressors_may_be_moments_in_the_units_of_the_user() -> None:
    z, family = lines(4), FAMILY.in_units(3.0, 2.0)
    reference, learner = student(), student()
    learner.family = family
    distill(z, reference, X, **SETTINGS)
    moments = torch.stack([family.mean(z), family.variance(z)], -1)
    distill(moments, learner, X, form="moments", **SETTINGS)
    same(learner, reference, rtol=1e-3, atol=1e-4)


# -- inputs --------------------------------------------------------------------------------------------------------


class Two(nn.Module):
    """Two arguments, by place or by name."""

    def __init__(self, outputs: int) -> None:
        super().__init__()
        self.layer = nn.Linear(2, outputs)

    def forward(self, a: Tensor, b: Tensor) -> Tensor:
        return self.layer(torch.cat([a, b], -1))  # type: ignore[no-any-return]


class Rows(Dataset[dict[str, Tensor]]):
    """Rows with names."""

    def __len__(self) -> int:
        return len(X)

    def __getitem__(self, place: int) -> dict[str, Tensor]:
        return {"a": X[place], "b": 2 * X[place]}


NAMED = {"a": X, "b": 2 * X}
INPUTS = {
    "dict": NAMED,
    "dict of arrays": {name: value.numpy().astype(np.float64) for name, value in NAMED.items()},
    "dataset": TensorDataset(X, 2 * X),
    "dataset of dicts": Rows(),
    "loader of dicts": DataLoader(Rows(), batch_size=7),
    "sampler": lambda count, generator: (X, 2 * X),
}


@pytest.mark.parametrize("kind", INPUTS)
def test_inputs_come_as_anything(kind: str) -> None:
    reference, teacher = endd.Student(Two(5), FAMILY), endd.Ensemble([Two(2), Two(2)], FAMILY)
    learner = copy.deepcopy(reference)
    distill(teacher, reference, (X, 2 * X), **SETTINGS)
    distill(teacher, learner, INPUTS[kind], **SETTINGS)
    same(learner, reference)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_arrays_and_other_types_become_those_of_the_student(kind: Any) -> None:
    z, learner, reference = lines(4), student().double(), student().double()
    distill(z.double(), reference, X.double(), **SETTINGS)
    distill(z.numpy().astype(kind), learner, X.numpy().astype(kind), **SETTINGS)
    same(learner, reference, rtol=1e-4, atol=1e-5)


def test_a_sampler_is_asked_for_new_inputs_every_epoch() -> None:
    asked: list[tuple[int, Tensor]] = []

    def sampler(count: int, generator: torch.Generator) -> Tensor:
        asked.append((count, torch.rand(count, 1, generator=generator)))
        return asked[-1][1]

    objective = Recorded(DistributionDistillation())
    teacher = endd.Ensemble([nn.Sequential(nn.Linear(1, 2, bias=False))], FAMILY)
    distill(teacher, student(), sampler, samples=24, objective=objective, **SETTINGS)
    assert {count for count, _ in asked} == {24}
    drawn = torch.stack([x for _, x in asked[-3:]])
    assert len(drawn.unique()) == 72
    # the teacher's first output is a multiple of x: every epoch was labelled anew
    slope = next(teacher.parameters()).detach()[0, 0]
    taught = torch.cat([z[0, 0, :, 0] for z in objective.trained]).reshape(3, 24)
    torch.testing.assert_close(taught.sort(1).values, (slope * drawn[..., 0]).sort(1).values)


class Same(nn.Module):
    """What comes, times a number that begins at 1."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(1))

    def forward(self, x: Tensor) -> Tensor:
        return self.scale * x


@pytest.mark.parametrize("jobs", [1, 2])
def test_teacher_and_student_see_the_same_perturbed_inputs(jobs: int) -> None:
    seen: list[Tensor] = []

    def perturb(x: Tensor, generator: torch.Generator) -> Tensor:
        assert x.shape in {(16, 2), (8, 2)}
        seen.append(x + torch.rand(x.shape, generator=generator))
        return seen[-1]

    x, objective = torch.randn(40, 2), Recorded(MixtureDistillation(FAMILY))
    teachers = [endd.Ensemble([Same()], FAMILY) for _ in range(jobs)]
    students = [endd.Student(Same(), FAMILY, v=endd.Point) for _ in range(jobs)]
    distill_many(teachers, students, [x] * jobs, perturb=perturb, objective=objective, **STANDING)
    taught = [z[0, job] for z in objective.trained for job in range(jobs)]
    learnt = [z[job] for z in objective.students for job in range(jobs)]
    for expected, z, raw in zip(seen, taught, learnt, strict=True):
        torch.testing.assert_close(z, expected)
        torch.testing.assert_close(raw, expected)
    assert len(torch.cat(seen).unique()) == jobs * 3 * 40 * 2


def test_a_pool_teaches_what_lies_between_the_data() -> None:
    ends = torch.cat([torch.full((20, 1), -1.0), torch.full((20, 1), 1.0)])
    teacher = endd.Ensemble([MLP(1, [20], 2, activation="tanh") for _ in range(5)], FAMILY)
    with torch.no_grad():
        for member in teacher.members:
            member.layers[0].weight.mul_(5)
    middle = torch.linspace(-0.5, 0.5, 20).unsqueeze(-1)
    truth = teacher.predict(middle).v.mean
    errors = []
    for inputs in (ends, transfer_pool(ends, views=3, mix=0.7)):
        learner = endd.Student(MLP(1, [20], 5), FAMILY)
        distill(teacher, learner, inputs, **{**SETTINGS, "epochs": 60})
        errors.append(float((learner.predict(middle).v.mean - truth).square().mean()))
    assert errors[1] < errors[0] / 2


# -- options -------------------------------------------------------------------------------------------------------


def test_labels_pull_by_their_weight() -> None:
    labelled, means = (X, torch.full((40,), 3.0)), []
    for weight in (0.0, 0.3, 3.0):
        learner = endd.Student(MLP(1, [], 2), FAMILY, v=endd.Point)
        options = {**SETTINGS, "epochs": 150, "batch_size": 40, "learning_rate": 0.2}
        distill(constants(0.0, 0.2), learner, X, labelled=labelled if weight else None, label_weight=weight, **options)
        means.append(float(learner.predict(X).mean.mean()))
    # the minimum lies at the weighted mean of what teacher and labels say
    assert means == pytest.approx([(0.1 + weight * 3) / (1 + weight) for weight in (0.0, 0.3, 3.0)], abs=0.05)


def test_labels_of_every_job_are_in_its_own_units() -> None:
    z, y = lines(3), X[:, 0].sin()
    students = [student(), student()]
    students[1].family = FAMILY.in_units(10.0, 5.0)
    labelled = [(X, y), (X, 10 + 5 * y)]
    distill_many([z, z], students, [X, X], labelled=labelled, **{**SETTINGS, "batch_size": 40})
    same(students[0], students[1], rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("way", ["plain", "sampler", "perturb"])
def test_held_out_members_are_only_seen_in_validation(way: str) -> None:
    objective, members = Recorded(DistributionDistillation()), range(10)
    inputs: Any = X if way != "sampler" else lambda count, generator: X
    perturb: Any = (lambda x, generator: x) if way == "perturb" else None
    options = {"hold_out": "members", "hold_out_share": 0.3, "objective": objective, "perturb": perturb}
    history = distill(constants(*map(float, members)), student(), inputs, **options, **SETTINGS)
    trained, validated = (
        {*torch.cat(z, -2)[..., 0].unique().tolist()} for z in (objective.trained, objective.validated)
    )
    assert len(trained) == 7
    assert trained | validated == set(members)
    assert not trained & validated
    assert len(history.best_epoch or []) == 1
    assert all("validation" in row for row in history.rows)


def test_held_out_inputs_are_only_seen_in_validation() -> None:
    objective = Recorded(DistributionDistillation())
    z = torch.arange(40.0).reshape(1, 40, 1).expand(2, 40, 2)
    distill(z, student(), X, hold_out="inputs", hold_out_share=0.25, objective=objective, **SETTINGS)
    trained, validated = (
        {*torch.cat(z, 2)[..., 0].unique().tolist()} for z in (objective.trained, objective.validated)
    )
    assert len(validated) == 10
    assert trained | validated == set(range(40))
    assert not trained & validated


def test_a_student_stops_early_on_what_was_held_out() -> None:
    settings = {**SETTINGS, "epochs": 60, "learning_rate": 0.3, "schedule": "constant"}
    history = distill(torch.randn(3, 40, 2), student(), X, hold_out="inputs", patience=4, **settings)
    assert history.best_epoch is not None
    assert len(history.rows) == history.best_epoch[0] + 4 < 60


def test_a_warm_start_copies_what_matches() -> None:
    member, learner = MLP(1, [6], 2), student()
    last = learner.net.layers[-1].weight.detach().clone()
    distill(lines(3), learner, X, warm_start=member, **STANDING)
    torch.testing.assert_close(learner.net.layers[0].weight, member.layers[0].weight)
    torch.testing.assert_close(learner.net.layers[-1].weight, last)
    assert copy_matching(member, learner.net) == ["layers.0.weight", "layers.0.bias"]


# -- objectives ----------------------------------------------------------------------------------------------------


class Own(Objective):
    """The distribution objective, written by a user."""

    def __call__(self, v: Distribution, teacher: Atoms, y: Tensor | None = None) -> Tensor:
        return -v.log_prob(teacher.atoms).mean(0)


def test_an_objective_of_ones_own() -> None:
    z, learner, reference = lines(4), student(), student()
    distill(z, learner, X, objective=Own(), **SETTINGS)
    distill(z, reference, X, **SETTINGS)
    same(learner, reference)


def test_objectives_add_up() -> None:
    z = lines(4)
    both = DistributionDistillation() + 2 * MixtureDistillation(FAMILY)
    history = [
        distill(z, student(), X, objective=part, **STANDING).loss[0] for part in (both, *(t for _, t in both.terms))
    ]
    assert history[0] == pytest.approx(history[1] + 2 * history[2], rel=1e-5)


@pytest.mark.parametrize(
    ("v", "kind"),
    [
        (endd.Point, MixtureDistillation),
        (endd.Dirichlet, DirichletDistillation),
        (None, DistributionDistillation),
    ],
)
def test_the_objective_follows_from_v(v: Any, kind: type[Objective]) -> None:
    family = Categorical(3)
    learner = endd.Student(MLP(1, [4], endd.num_outputs(family, v)), family, v=v)
    assert type(default_objective(learner)) is kind


def test_an_annealed_objective_moves_with_the_epochs() -> None:
    annealing = Annealing(start=8.0, hold=1, decay=0.5)
    z, learner = torch.randn(4, 40, 3), endd.Student(MLP(1, [4], 3), Categorical(3), v=endd.Dirichlet)
    options = {**STANDING, "epochs": 5, "batch_size": 40}
    history = distill(z, learner, X, objective=DirichletDistillation(annealing=annealing), **options)
    with torch.no_grad():
        v = learner(X)
    expected = [
        float(DirichletDistillation(temperature=T)(v, endd.Members(z)).mean()) for T in (8.0, 4.0, 2.0, 1.0, 1.0)
    ]
    assert history.loss == pytest.approx(expected, rel=1e-4)


# -- students ------------------------------------------------------------------------------------------------------


def test_two_students_side_by_side_equal_two_one_by_one() -> None:
    inputs = [X.double(), 2 * X[:35].double()]
    teachers = [torch.randn(3, len(x), 2).double() for x in inputs]
    together = [endd.Student(MLP(1, [6], 5).double(), FAMILY) for _ in range(2)]
    apart = copy.deepcopy(together)
    whole = {**SETTINGS, "batch_size": 40}  # every step sees all rows, in whatever order
    distill_many([teachers[0][:, :35], teachers[1]], together, [inputs[0][:35], inputs[1]], **whole)
    distill(teachers[0][:, :35], apart[0], inputs[0][:35], **whole)
    distill(teachers[1], apart[1], inputs[1], **whole)
    for one, other in zip(together, apart, strict=True):
        same(one, other, rtol=1e-6, atol=1e-9)


def test_students_of_folds_of_different_size_learn_side_by_side() -> None:
    inputs = [X, X[:33]]
    students = [student(), student()]
    history = distill_many([lines(3)[:, : len(x)] for x in inputs], students, inputs, **{**SETTINGS, "epochs": 20})
    assert history.loss[-1] < history.loss[0]


def test_a_head_on_features_is_trained_with_the_network() -> None:
    learner = endd.Student(MLP(1, [6], 3), FAMILY, features=3)
    before = copy.deepcopy(learner.state_dict())
    history = distill(lines(3), learner, X, **{**SETTINGS, "epochs": 10})
    assert history.loss[-1] < history.loss[0]
    assert {name for name, value in learner.state_dict().items() if torch.equal(value, before[name])} == set()


def test_a_network_may_return_a_dict() -> None:
    class Named(nn.Module):
        def __init__(self, layer: nn.Linear) -> None:
            super().__init__()
            self.layer = layer

        def forward(self, x: Tensor) -> dict[str, Tensor]:
            return {"logits": self.layer(x), "hidden": x}

    z, layer = lines(3), nn.Linear(1, 5)
    named = Named(copy.deepcopy(layer))
    distill(z, endd.Student(named, FAMILY, output="logits"), X, **SETTINGS)
    distill(z, endd.Student(layer, FAMILY), X, **SETTINGS)
    same(named.layer, layer)


# -- bad input -----------------------------------------------------------------------------------------------------

Z = torch.randn(3, 40, 2)


@pytest.mark.parametrize(
    ("teacher", "inputs", "options", "error", "message"),
    [
        (Z[:, :39], X, {}, ValueError, "for all 40 inputs, but got 39 rows"),
        (torch.randn(3, 40, 4), X, {}, ValueError, "2 parameters in its last dimension"),
        (Z[:0], X, {}, ValueError, r"\(M, N, P\)"),
        (Z / 0, X, {}, ValueError, "finite member outputs"),
        (nn.Linear(1, 2), X, {}, TypeError, r"endd.Ensemble or member outputs as teacher, but got Linear"),
        (nn.Linear(1, 2), lambda count, generator: X, {}, TypeError, "endd.Ensemble or member outputs"),
        (Z, lambda count, generator: X, {}, TypeError, "inputs that are drawn"),
        (Z, X, {"perturb": lambda x, generator: x}, TypeError, "drawn or perturbed"),
        (Z[:, :0], X[:0], {}, ValueError, "at least one"),
        (Z, X / 0, {}, ValueError, "finite inputs"),
        (Z, X.repeat(1, 2), {}, ValueError, r"network 0 accepts, but got \(2,\) a row"),
        (Z, X, {"labelled": (X, X)}, ValueError, r"Use y.squeeze\(-1\)"),
        (Z, X, {"labelled": (X.repeat(1, 2), X[:, 0])}, ValueError, r"network 0 accepts, but got \(2,\) a row"),
        (Z, X, {"form": "probs"}, ValueError, "`form` to be one of"),
        (Z, X, {"hold_out": "rows"}, ValueError, "`hold_out` to be one of 'none', 'inputs', 'members'"),
        (Z[:1], X, {"hold_out": "members"}, ValueError, "more than 1 members to hold some out, but got 1"),
        (Z, X, {"patience": 3}, ValueError, "`patience`.*hold_out"),
        (Z, X, {"lr": 0.1}, ValueError, "but got 'lr'"),
        (Z, X, {"progress": "loud"}, ValueError, "`progress` to be one of"),
        (Z, X, {"objective": DirichletDistillation()}, TypeError, "v=endd.Dirichlet"),
        (Z, X, {"run": "RUN", "ema": 2.0}, ValueError, "`ema` between 0 and 1"),
    ],
)
def test_bad_input_is_one_clear_line_and_leaves_no_folder(
    teacher: Any, inputs: Any, options: dict[str, Any], error: type[Exception], message: str, tmp_path: Path
) -> None:
    learner = student()
    with pytest.raises(error, match=message) as caught:
        distill(teacher, learner, inputs, **{"progress": "none", **options, "run": tmp_path / "run"})
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "run").exists()
    same(learner, student(), rtol=0, atol=0)


def test_members_with_different_outputs_are_refused() -> None:
    teacher = endd.Ensemble([MLP(1, [4], 2), MLP(1, [4], 3)], FAMILY)
    with pytest.raises(ValueError, match="outputs of one shape from all members"):
        distill(teacher, student(), X, **SETTINGS)


def test_a_student_with_the_wrong_number_of_outputs_is_named() -> None:
    with pytest.raises(ValueError, match=r"Expected 5 outputs.*gives 4"):
        distill(Z, student(4), X, **SETTINGS)


def test_teachers_with_different_numbers_of_members_cannot_teach_side_by_side() -> None:
    with pytest.raises(ValueError, match=r"same number of members, but got \[2, 3\]"):
        distill_many([Z, Z[:2]], [student(), student()], [X, X], **SETTINGS)


@pytest.mark.parametrize("hold_out", ["none", "members"])
def test_weights_that_cannot_be_kept_are_refused(hold_out: str) -> None:
    teachers = [constants(0.0, 1.0, 2.0, weights=torch.tensor(w)) for w in ([0.5, 0.25, 0.25], [0.2, 0.4, 0.4])]
    with pytest.raises(ValueError, match="the same weights for the members of all teachers"):
        distill_many(teachers, [student(), student()], [X, X], hold_out=hold_out, **SETTINGS)
