"""Students: one network, a distribution over z."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from torch import nn

import endd
from endd.families import Bernoulli, Categorical, Family, Gaussian, MultivariateGaussian, Poisson
from endd.nn import MLP
from tests.laws.table import DISTRIBUTIONS, FAMILIES, PAIRS


@pytest.mark.parametrize(("family_name", "v_name"), [pair for pair in PAIRS if DISTRIBUTIONS[pair[1]].form])
def test_every_pair_makes_a_student_that_trains(family_name: str, v_name: str) -> None:
    family, form = FAMILIES[family_name], DISTRIBUTIONS[v_name].form
    student = endd.Student(MLP(3, [8], endd.num_outputs(family, form)), family, form)
    x, teacher = torch.randn(6, 3), endd.Members(torch.randn(4, 6, family.num_parameters))
    mixture, distribution = endd.objectives.MixtureDistillation(family), endd.objectives.DistributionDistillation()
    hydra = endd.objectives.HydraDistillation(family)
    objectives = {"members": hydra, "point": mixture, "tempered_point": mixture}
    loss = objectives.get(v_name, distribution)(student(x), teacher)
    assert loss.shape == (6,)
    loss.mean().backward()
    assert all(bool(p.grad.isfinite().all()) for p in student.parameters() if p.grad is not None)
    prediction = student.predict(x)
    assert prediction.epistemic.shape == (6,)
    assert prediction.log_prob(prediction.sample()).shape == (6,)


@pytest.mark.parametrize(
    ("family", "expected"),
    [
        (Gaussian(), "FullNormal"),
        (Categorical(10), "ModuloShift"),
        (Categorical(2), "ModuloShift"),
        (Categorical(4, reference=0), "FullNormal"),
        (Categorical(10, reference=0), "LowRankNormal"),
        (Bernoulli(), "FullNormal"),
        (Bernoulli(20), "LowRankNormal"),
        (Poisson(), "FullNormal"),
        (MultivariateGaussian(3), "LowRankNormal"),
    ],
)
def test_default_distributions(family: Family, expected: str) -> None:
    student = endd.Student(nn.Linear(3, endd.num_outputs(family)), family)
    assert type(student(torch.randn(4, 3))).__name__ == expected


def test_features_add_a_head() -> None:
    family, v = Categorical(10), endd.LowRankNormal.of(rank=2)
    student = endd.Student(MLP(3, [8], 16), family, v, features=16)
    assert student(torch.randn(4, 3)).rank == 2
    assert student.head is not None
    assert student.head.out_features == endd.num_outputs(family, v) == 40


def test_a_net_of_the_wrong_width_is_told_the_right_one() -> None:
    student = endd.Student(nn.Linear(3, 4), Gaussian())
    with pytest.raises(ValueError, match=r"Expected 5 raw outputs .* pass features=4 to have a head added"):
        student.predict(torch.randn(2, 3))


@pytest.mark.parametrize(
    ("family", "v", "message"),
    [
        (Gaussian(), endd.Dirichlet, "needs a family whose z is one"),
        (Categorical(4, reference=1), endd.ModuloShift, "needs a family whose z is one"),
        (Gaussian(), "normal", "Expected `v` to be a distribution"),
        (Gaussian(), endd.Members, r"Use v=endd\.Members\.of\(size=M\)"),
    ],
)
def test_a_v_that_does_not_suit_the_family_is_refused(family: Family, v: object, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        endd.Student(nn.Linear(3, 5), family, v)  # type: ignore[arg-type]


def test_threads_agree_bit_for_bit() -> None:
    student = endd.Student(nn.Sequential(nn.Linear(3, 64), nn.Dropout(0.5), nn.Linear(64, 60)), Categorical(10))
    x = torch.randn(32, 3)
    expected = student.predict(x).epistemic
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: student.predict(x).epistemic, range(64)))
    assert all(torch.equal(result, expected) for result in results)


def test_students_copy_and_pickle() -> None:
    student, x = endd.Student(MLP(3, [8], 60), Categorical(10)), torch.randn(4, 3)
    expected = student.predict(x).probs
    for other in (copy.deepcopy(student), pickle.loads(pickle.dumps(student))):
        torch.testing.assert_close(other.predict(x).probs, expected)


def test_half_precision_outputs_become_float32() -> None:
    student = endd.Student(nn.Linear(3, 5), Gaussian())
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert student(torch.randn(4, 3)).loc.dtype == torch.float32


class Split(nn.Module):
    """A student as a plain function of tensors."""

    def __init__(self, student: endd.Student) -> None:
        super().__init__()
        self.student = student

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        parts = endd.decompose(self.student.family, self.student(x))
        return parts.aleatoric, parts.epistemic


@pytest.mark.parametrize("family", [Gaussian(), Categorical(7), Bernoulli(), Poisson()])
def test_export_gives_the_same_and_leaves_no_trace(family: Family) -> None:
    """Fixed points are made on first use: made while exporting, they must be real all the same."""
    model, x = Split(endd.Student(MLP(3, [8], endd.num_outputs(family)), family)), torch.randn(5, 3)
    exported = torch.export.export(model, (x,), strict=False).module()
    for left, right in zip(exported(x), model(x), strict=True):
        assert type(right) is torch.Tensor
        torch.testing.assert_close(left, right)


@pytest.mark.parametrize("precision", [torch.float16, torch.bfloat16])
def test_a_student_with_a_head_answers_in_half_precision(precision: torch.dtype) -> None:
    torch.manual_seed(0)
    student = endd.Student(nn.Sequential(nn.Linear(3, 6), nn.ReLU()), Categorical(3), features=6)
    x = torch.randn(4, 3)
    whole = student.predict(x).probs
    half = student.to(precision).predict(x).probs
    assert half.dtype == torch.float32
    torch.testing.assert_close(half, whole, rtol=0.1, atol=0.05)
