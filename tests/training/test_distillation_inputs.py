"""Teachers come as models or outputs, inputs as anything."""

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset, TensorDataset

import endd
from endd.families import Categorical
from endd.nn import MLP
from endd.objectives import DistributionDistillation, MixtureDistillation
from endd.training import distill, distill_many, transfer_pool
from tests.training.distilling import FAMILY, SETTINGS, STANDING, Recorded, X, lines, same, student


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
