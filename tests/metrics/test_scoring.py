"""Errors, proper scores and intervals."""

import numpy as np
import pytest
import torch
from sklearn.metrics import accuracy_score, brier_score_loss, root_mean_squared_error

from endd.metrics import accuracy, brier, interval_coverage, interval_width, nll, rmse

GENERATOR = torch.Generator().manual_seed(0)
PROBS = torch.randn(200, 5, generator=GENERATOR).softmax(-1)
LABELS = torch.randint(5, (200,), generator=GENERATOR)
MEAN, Y = torch.randn(2, 200, generator=GENERATOR)


def test_rmse_as_scikit_learn():
    assert rmse(MEAN, Y).item() == pytest.approx(root_mean_squared_error(Y.numpy(), MEAN.numpy()), rel=1e-6)


def test_rmse_of_vectors_and_of_counts():
    assert rmse(torch.zeros(2, 3), torch.full((2, 3), 2.0)).item() == 2.0
    assert rmse(torch.zeros(2), torch.tensor([3, -3])).item() == 3.0


def test_rmse_refuses_to_broadcast():
    with pytest.raises(ValueError, match=r"Expected `y` of shape \(200,\), but got \(200, 1\)\. Use y\.squeeze\(-1\)"):
        rmse(MEAN, Y[:, None])


def test_nll_is_the_mean_of_minus_log_prob():
    log_prob = torch.distributions.Normal(MEAN, 1.0).log_prob(Y)
    torch.testing.assert_close(nll(log_prob), -log_prob.mean())
    torch.testing.assert_close(nll(log_prob, reduction="none"), -log_prob)


def test_nll_of_an_impossible_target_is_infinite_and_of_a_spike_raises():
    assert nll(torch.tensor([0.0, -torch.inf])).item() == torch.inf
    with pytest.raises(ValueError, match="minimum variance"):
        nll(torch.tensor([0.0, torch.inf]))


def test_unknown_reduction():
    with pytest.raises(ValueError, match="one of 'mean', 'none', but got 'sum'"):
        nll(torch.zeros(3), reduction="sum")


def test_accuracy_as_scikit_learn():
    expected = accuracy_score(LABELS.numpy(), PROBS.argmax(-1).numpy())
    assert accuracy(PROBS, LABELS).item() == pytest.approx(expected, rel=1e-6)


def test_brier_as_scikit_learn():
    p = PROBS.double().div(PROBS.double().sum(-1, keepdim=True)).numpy()
    expected = brier_score_loss(LABELS.numpy(), p, scale_by_half=False, labels=np.arange(5))
    assert brier(PROBS, LABELS).item() == pytest.approx(expected, rel=1e-6)


def test_brier_is_twice_the_binary_score():
    p, y = PROBS[:, 0], LABELS % 2
    expected = 2 * brier_score_loss(y.numpy(), p.numpy())
    assert brier(torch.stack([1 - p, p], -1), y).item() == pytest.approx(expected, rel=1e-5)


def test_brier_runs_from_0_to_2():
    sure = torch.tensor([[1.0, 0.0], [1.0, 0.0]])
    assert brier(sure, torch.tensor([0, 1]), reduction="none").tolist() == [0.0, 2.0]


def test_brier_with_short_integer_labels():
    torch.testing.assert_close(brier(PROBS, LABELS.to(torch.uint8)), brier(PROBS, LABELS))


def test_interval_coverage_counts_both_ends():
    lower, upper = torch.zeros(4), torch.ones(4)
    assert interval_coverage(lower, upper, torch.tensor([0.0, 1.0, 1.1, -0.1])).item() == 0.5


def test_intervals_may_be_infinite():
    lower, upper = torch.tensor([-torch.inf, 0.0]), torch.tensor([torch.inf, 1.0])
    assert interval_coverage(lower, upper, torch.tensor([5.0, 5.0])).item() == 0.5
    assert interval_width(lower, upper).item() == torch.inf


def test_interval_width():
    assert interval_width(torch.zeros(2), torch.tensor([1.0, 3.0])).item() == 2.0


@pytest.mark.parametrize("call", [interval_width, lambda low, high: interval_coverage(low, high, low)])
def test_crossed_intervals_raise(call):
    with pytest.raises(ValueError, match="lower > upper in 1 rows"):
        call(torch.tensor([0.0, 2.0]), torch.ones(2))
