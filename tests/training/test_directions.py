"""Steps that make members disagree: their length, their direction and what they are for."""

import pytest
import torch
from torch import nn

import endd
from endd.families import Categorical, Gaussian
from endd.nn import ResNet
from endd.training import diverse_steps


def _ensemble(family: endd.families.Family, outputs: int) -> endd.Ensemble:
    torch.manual_seed(0)
    nets = [nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, outputs)) for _ in range(4)]
    return endd.Ensemble(nets, family)


def test_a_step_has_the_length_that_was_asked_for() -> None:
    x = torch.randn(50, 5)
    moved = diverse_steps(_ensemble(Gaussian(), 2), x, 0.3)
    torch.testing.assert_close((moved - x).norm(dim=1), torch.full((50,), 0.3))


def test_with_classes_a_step_is_as_long_as_a_member_is_sure() -> None:
    ensemble, x = _ensemble(Categorical(3), 3), torch.randn(50, 5)
    lengths = (diverse_steps(ensemble, x, 0.3) - x).norm(dim=1)
    sure = ensemble(x).atoms.softmax(-1).amax(-1)
    assert any(torch.allclose(lengths, 0.3 * each, atol=1e-5) for each in sure)


def test_the_direction_is_that_of_finite_differences() -> None:
    ensemble, x = _ensemble(Gaussian(), 2).double(), torch.randn(1, 5, dtype=torch.float64)
    step = diverse_steps(ensemble, x, 1.0) - x

    def means(at: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = ensemble(at).atoms[:, 0, 0].detach()
        return found

    each = torch.eye(5, dtype=torch.float64) * 1e-5
    slopes = torch.stack([(means(x + e) - means(x - e)) / 2e-5 for e in each], 1)
    along = (slopes / slopes.norm(dim=1, keepdim=True)) @ step[0]
    assert along.abs().max() == pytest.approx(1.0, abs=1e-6)


def test_members_that_agree_disagree_after_a_step() -> None:
    ensemble, y = _ensemble(Categorical(3), 3), torch.arange(300) % 3
    x = 2 * torch.nn.functional.one_hot(y, 5) + 0.3 * torch.randn(300, 5)
    endd.fit_ensemble(ensemble, (x, y), epochs=30, learning_rate=0.01, seed=0, progress="none")

    def disagreement(at: torch.Tensor) -> float:
        return float(ensemble.predict(at).epistemic.mean())

    assert disagreement(diverse_steps(ensemble, x, 1.0)) > 2 * disagreement(x)


def test_pixels_stay_pixels_and_a_seed_gives_the_same_again() -> None:
    torch.manual_seed(0)
    ensemble = endd.Ensemble([ResNet(8, 10, 4) for _ in range(2)], Categorical(10)).eval()
    images = torch.randint(256, (6, 3, 32, 32), dtype=torch.uint8)
    first, again, other = (diverse_steps(ensemble, images, 3.0, seed=seed) for seed in (1, 1, 2))
    assert first.dtype == torch.uint8
    assert first.shape == images.shape
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
    assert not torch.equal(first, images)
    assert all(parameter.grad is None for parameter in ensemble.parameters())


def test_members_in_training_mode_answer_as_they_predict_and_learn_nothing() -> None:
    torch.manual_seed(0)
    ensemble = endd.Ensemble([ResNet(8, 10, 4) for _ in range(2)], Categorical(10))
    images = torch.rand(6, 3, 32, 32)
    before = {name: tensor.clone() for name, tensor in ensemble.state_dict().items()}
    moved = diverse_steps(ensemble.train(), images, 1.0)
    assert all(torch.equal(tensor, before[name]) for name, tensor in ensemble.state_dict().items())
    assert torch.equal(moved, diverse_steps(ensemble.eval(), images, 1.0))


def test_a_negative_step_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 0, but got -1"):
        diverse_steps(_ensemble(Gaussian(), 2), torch.zeros(2, 5), -1.0)
