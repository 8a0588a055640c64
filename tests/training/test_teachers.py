"""Teachers are asked part by part, or their outputs read from memory or a file."""

import warnings
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

import endd
from endd.families import Categorical, Gaussian
from endd.nn import MLP
from endd.training.teachers import ask, kept_outputs


def ensemble(members: int = 3) -> endd.Ensemble:
    return endd.Ensemble([MLP(2, [4], 2) for _ in range(members)], Gaussian())


def test_the_answer_is_the_members_outputs() -> None:
    teacher, x = ensemble(), torch.randn(10, 2)
    torch.testing.assert_close(ask(teacher, x), torch.stack([net(x) for net in teacher.members]))


def test_asking_in_parts_gives_the_same_answer() -> None:
    teacher, x = ensemble(), torch.randn(10, 2)
    torch.testing.assert_close(ask(teacher, x, rows=3), ask(teacher, x))


def test_asking_is_inference() -> None:
    net = nn.Sequential(nn.Dropout(0.5), nn.Linear(2, 2))
    z = ask(endd.Ensemble([net], Gaussian()), torch.ones(4, 2))
    assert torch.equal(z[0], z[0, :1].expand(4, 2))
    assert not z.requires_grad
    assert net.training


def test_a_teacher_without_atoms_is_refused() -> None:
    student = endd.Student(nn.Linear(2, 5), Gaussian())
    with pytest.raises(TypeError, match=r"a teacher whose v is atoms.*FullNormal"):
        ask(student, torch.randn(4, 2))


def test_a_teacher_that_says_nan_is_refused() -> None:
    teacher = ensemble()
    nn.init.constant_(next(teacher.members[1].parameters()), float("nan"))
    with pytest.raises(ValueError, match="finite outputs from the teacher"):
        ask(teacher, torch.randn(4, 2))


@pytest.mark.parametrize("kind", ["tensor", "array", "path", "string"])
def test_outputs_are_kept_in_memory_or_in_a_file(kind: str, tmp_path: Path) -> None:
    z = torch.randn(3, 4, 2)
    file = tmp_path / "z.npy"
    np.save(file, z.numpy().astype(np.float64))
    kept = {"tensor": z, "array": z.numpy(), "path": file, "string": str(file)}[kind]
    assert torch.equal(kept_outputs(kept, Gaussian(), "parameters"), z)


def test_probs_and_logits_mean_the_same() -> None:
    logits = torch.randn(3, 4, 5)
    z = kept_outputs(logits.softmax(-1), Categorical(5), "probs")
    torch.testing.assert_close(z.softmax(-1), kept_outputs(logits, Categorical(5), "logits").softmax(-1))


def test_moments_are_in_the_units_of_the_user() -> None:
    family = Gaussian().in_units(10.0, 3.0)
    moments = torch.stack([torch.randn(3, 4), torch.rand(3, 4) + 0.1], -1)
    z = kept_outputs(moments, family, "moments")
    torch.testing.assert_close(torch.stack([family.mean(z), family.variance(z)], -1), moments)


@pytest.mark.parametrize(
    ("outputs", "error", "message"),
    [
        (torch.randn(3, 4, 5), ValueError, "with 2 parameters in its last dimension"),
        (torch.randn(4, 2), ValueError, r"\(M, N, P\).*\(4, 2\)"),
        (torch.randn(0, 4, 2), ValueError, r"\(M, N, P\).*\(0, 4, 2\)"),
        (torch.full((3, 4, 2), float("nan")), ValueError, "finite member outputs"),
        (torch.ones(3, 4, 2, dtype=torch.long), TypeError, "floating point"),
        ([[1.0]], TypeError, "`teacher` to be a tensor"),
    ],
)
def test_outputs_of_another_shape_or_kind_are_refused(outputs: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        kept_outputs(outputs, Gaussian(), "parameters")


def test_an_unknown_form_is_named() -> None:
    with pytest.raises(ValueError, match="`form` to be one of 'parameters', 'moments', but got 'probs'"):
        kept_outputs(torch.randn(3, 4, 2), Gaussian(), "probs")


def test_probabilities_that_are_taken_for_logits_are_told() -> None:
    probs = torch.randn(3, 5, 4).softmax(-1)
    with pytest.warns(UserWarning, match="form='probs'"):
        kept_outputs(probs, Categorical(4), "parameters")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kept_outputs(probs, Categorical(4), "probs")
        kept_outputs(probs.log(), Categorical(4), "parameters")


def test_pairs_in_the_place_of_inputs_are_told() -> None:
    ensemble = endd.Ensemble([MLP(3, [4], 2) for _ in range(2)], Gaussian())
    with pytest.raises(TypeError, match=r"got 2 of them: .* alone: where data are pairs \(x, y\), give x"):
        ask(ensemble, (torch.zeros(4, 3), torch.zeros(4)))


class Weighted(endd.models.Model):
    """A model of one's own, whose members count differently, and that need not say so."""

    def __init__(self, says: bool) -> None:
        super().__init__(Categorical(3))
        self.members = MLP(3, [4], 3)
        if says:
            self.weights = torch.tensor([0.8, 0.2])

    def forward(self, x: torch.Tensor) -> endd.Members:
        z = self.members(x)
        return endd.Members(torch.stack([z, -z]), torch.tensor([0.8, 0.2]))

    def _inference(self, inputs: torch.Tensor) -> tuple[endd.Members, torch.Tensor]:
        v = self(inputs)
        return v, v.atoms.movedim(0, -2)


def test_weights_of_members_are_not_lost() -> None:
    assert ask(Weighted(True), torch.zeros(5, 3)).shape == (2, 5, 3)
    with pytest.raises(TypeError, match="attribute `weights`"):
        ask(Weighted(False), torch.zeros(5, 3))
