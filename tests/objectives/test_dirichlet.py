"""Dirichlet distillation: temperature, smoothing, annealing."""

import numpy as np
import pytest
import torch
from scipy import stats

import endd
from endd.distributions import DiagonalNormal, Dirichlet, Members
from endd.objectives import Annealing, DirichletDistillation, DistributionDistillation

M, B, K = 5, 3, 4
GENERATOR = torch.Generator().manual_seed(0)
Z = 2 * torch.randn(M, B, K, generator=GENERATOR, dtype=torch.float64)
RAW = 1 + torch.randn(B, K, generator=GENERATOR, dtype=torch.float64)
WEIGHTS = torch.tensor([0.1, 0.3, 0.2, 0.25, 0.15], dtype=torch.float64)
TEACHER, V = Members(Z, WEIGHTS), Dirichlet(RAW.exp())


def by_scipy(concentration, probs):
    rows = [[stats.dirichlet(concentration[b]).logpdf(probs[m, b]) for b in range(B)] for m in range(M)]
    return -(WEIGHTS.numpy() @ np.array(rows))


def test_without_temperature_and_smoothing_it_is_distribution_distillation():
    torch.testing.assert_close(DirichletDistillation(smoothing=0)(V, TEACHER), DistributionDistillation()(V, TEACHER))


@pytest.mark.parametrize("temperature", [1.0, 2.5, 10.0])
def test_temperature_divides_the_logarithm_of_the_concentration(temperature):
    objective = DirichletDistillation(temperature=temperature, smoothing=0)
    expected = by_scipy((RAW / temperature).exp().numpy(), Z.softmax(-1).numpy())
    np.testing.assert_allclose(objective(V, TEACHER), expected)


@pytest.mark.parametrize("smoothing", [1e-4, 0.1])
def test_smoothing_pulls_the_members_to_the_centre(smoothing):
    smoothed = (1 - smoothing) * Z.softmax(-1) + smoothing / K
    expected = by_scipy(RAW.exp().numpy(), smoothed.numpy())
    np.testing.assert_allclose(DirichletDistillation(smoothing=smoothing)(V, TEACHER), expected)


def test_temper_teacher_divides_the_members_logits_too():
    objective = DirichletDistillation(temperature=2.5, smoothing=0, temper_teacher=True)
    expected = by_scipy((RAW / 2.5).exp().numpy(), (Z / 2.5).softmax(-1).numpy())
    np.testing.assert_allclose(objective(V, TEACHER), expected)


def test_a_high_temperature_leaves_room_for_all_concentrations():
    """The bounds hold for exp(raw / T): at T = 10 a concentration of 1000 wants a raw output of 69."""
    raw = (10 * torch.tensor([[1000.0, 5.0, 0.01]]).log()).requires_grad_()
    tempered = Dirichlet.from_raw(raw).tempered(10.0).concentration
    torch.testing.assert_close(tempered, torch.tensor([[1000.0, 5.0, 0.01]]), rtol=1e-4, atol=0.0)
    tempered.log().sum().backward()
    torch.testing.assert_close(raw.grad, torch.full_like(raw, 0.1), rtol=1e-3, atol=0.0)
    direct = Dirichlet(torch.tensor([[1000.0, 5.0]])).tempered(2.0).concentration
    torch.testing.assert_close(direct, torch.tensor([[1000.0, 5.0]]).sqrt())


def test_smoothing_keeps_a_certain_member_finite():
    certain = Members(torch.tensor([[[200.0, 0.0, 0.0]]]))
    loss = DirichletDistillation()(Dirichlet(torch.full((1, 3), 0.5)), certain)
    assert loss.isfinite().all()
    assert loss.abs().item() < 20


CERTAIN = [torch.tensor([logit, 0.0, -logit, 1.0]).expand(M, B, K) for logit in (50.0, 200.0, 1e4, 1e20)]


@pytest.mark.parametrize("z", CERTAIN, ids=["50", "200", "1e4", "1e20"])
@pytest.mark.parametrize("concentration", [1e-6, 1e-3, 1.0, 1e8])
def test_without_smoothing_certain_members_leave_loss_and_gradient_finite(z, concentration):
    """Their probabilities underflow to 0, their logarithms do not."""
    raw = torch.full((B, K), concentration).log().requires_grad_()
    loss = DirichletDistillation(smoothing=0.0)(Dirichlet(raw.exp()), Members(z))
    loss.sum().backward()
    assert loss.isfinite().all()
    assert raw.grad.isfinite().all()


def test_without_smoothing_a_student_of_certain_members_trains():
    x = torch.randn(40, 2)
    z = 300 * torch.nn.functional.one_hot((x[:, 0] > 0).long(), 3).float() + torch.randn(4, 40, 3)
    student = endd.Student(endd.nn.MLP(2, [8], 3), endd.families.Categorical(3), Dirichlet)
    options = {"epochs": 20, "progress": "none", "device": "cpu"}
    history = endd.distill(z, student, x, objective=DirichletDistillation(smoothing=0.0), **options)
    assert not history.restarts
    assert history.loss[-1] < history.loss[0]
    assert student.predict(x).epistemic.isfinite().all()


def test_gradients_reach_the_student():
    raw = RAW.clone().requires_grad_()
    DirichletDistillation(temperature=10.0)(Dirichlet(raw.exp()), TEACHER).sum().backward()
    assert raw.grad.isfinite().all()
    assert raw.grad.abs().min() > 0


@pytest.mark.parametrize(
    ("epoch", "temperature"),
    [(0, 10.0), (49, 10.0), (50, 9.5), (51, 9.025), (59, 10 * 0.95**10), (94, 1.0), (500, 1.0)],
)
def test_annealing_holds_and_falls(epoch, temperature):
    assert Annealing()(epoch) == pytest.approx(temperature)


def test_annealing_never_rises_and_ends_at_its_end():
    temperatures = [Annealing(start=5.0, hold=3, decay=0.5, end=2.0)(epoch) for epoch in range(8)]
    assert temperatures == [5.0, 5.0, 5.0, 2.5, 2.0, 2.0, 2.0, 2.0]


def test_an_objective_moves_along_its_schedule():
    objective = DirichletDistillation(annealing=Annealing())
    assert objective.at(0).temperature == 10.0
    assert objective.at(50).temperature == 9.5
    torch.testing.assert_close(objective.at(0)(V, TEACHER), DirichletDistillation(temperature=10.0)(V, TEACHER))
    assert objective.at(50).at(200).temperature == 1.0


def test_an_objective_without_a_schedule_stays_as_it_is():
    objective = DirichletDistillation(temperature=2.0)
    assert objective.at(70) is objective


def test_only_a_dirichlet_student_will_do():
    v = DiagonalNormal(Z[0], torch.ones_like(Z[0]))
    with pytest.raises(TypeError, match=r"a student with v=endd\.Dirichlet, but got DiagonalNormal"):
        DirichletDistillation()(v, TEACHER)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"temperature": 0.0}, "`temperature` to be a finite number above 0"),
        ({"smoothing": 1.0}, "`smoothing` from 0 to below 1, but got 1.0"),
        ({"smoothing": -0.1}, "`smoothing` from 0 to below 1, but got -0.1"),
    ],
)
def test_options_are_checked(options, message):
    with pytest.raises(ValueError, match=message):
        DirichletDistillation(**options)
