"""Losses row by row."""

import pytest
import torch

import endd
from endd.families import Bernoulli, Categorical, Gaussian, MultivariateGaussian
from endd.models import row_losses


def test_they_are_what_their_names_say() -> None:
    numbers = endd.Prediction(Gaussian(), endd.Members(torch.randn(5, 4, 2)))
    y = torch.randn(4)
    torch.testing.assert_close(row_losses(numbers, y), -numbers.log_prob(y).double())
    torch.testing.assert_close(row_losses(numbers, y, "squared"), (y - numbers.mean).square().double())
    vectors = endd.Prediction(MultivariateGaussian(2), endd.Point(torch.zeros(3, 5)))
    assert row_losses(vectors, torch.ones(3, 2), "squared").tolist() == [2, 2, 2]
    classes = endd.Prediction(Categorical(3), endd.Point(torch.eye(3)))
    assert row_losses(classes, torch.tensor([0, 2, 2]), "zero_one").tolist() == [0, 1, 0]
    coins = endd.Prediction(Bernoulli(), endd.Point(torch.tensor([[2.0], [-2.0]])))
    assert row_losses(coins, torch.tensor([1.0, 1.0]), "zero_one").tolist() == [0, 1]
    own = row_losses(numbers, y, lambda prediction, target: (target - prediction.mean).abs())
    torch.testing.assert_close(own, (y - numbers.mean).abs().double())


def test_what_is_wrong_is_named() -> None:
    numbers = endd.Prediction(Gaussian(), endd.Members(torch.randn(5, 4, 2)))
    with pytest.raises(ValueError, match="'nll', 'squared', 'zero_one', but got 'mae'"):
        row_losses(numbers, torch.zeros(4), "mae")
    with pytest.raises(ValueError, match=r"Use y.squeeze\(-1\)"):
        row_losses(numbers, torch.zeros(4, 1), "squared")
    with pytest.raises(ValueError, match="NaN or infinity in 1 rows"):
        row_losses(numbers, torch.tensor([0.0, torch.nan, 0.0, 0.0]))
    with pytest.raises(ValueError, match=r"losses of shape \(4,\)"):
        row_losses(numbers, torch.zeros(4), lambda prediction, y: y.sum())


def test_of_many_labels_any_may_be_wrong() -> None:
    logits = torch.tensor([[2.0, -1.0, 3.0], [2.0, -1.0, 3.0], [-1.0, -1.0, 5.0]])
    prediction = endd.Prediction(Bernoulli(3), endd.Point(logits))
    y = torch.tensor([[1, 0, 1], [1, 1, 1], [0, 0, 0]])
    assert row_losses(prediction, y, "zero_one").tolist() == [0.0, 1.0, 1.0]
    assert row_losses(prediction, y.numpy(), "zero_one").tolist() == [0.0, 1.0, 1.0]
    with pytest.raises(ValueError, match=r"Expected `y` of shape \(3, 3\)"):
        row_losses(prediction, torch.tensor([0, 1, 2]), "zero_one")  # classes of what has labels
