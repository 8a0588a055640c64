"""Predictions: one face for every pair."""

import gc
import pickle
import weakref

import pytest
import torch
from scipy import stats

import endd
from endd.families import Bernoulli, Categorical, Gaussian, MultivariateGaussian, Poisson
from endd.models import Prediction


def test_quantiles_invert_the_mixture_cdf() -> None:
    z = torch.randn(5, 7, 2, dtype=torch.float64)
    prediction = Prediction(Gaussian(shift=1.0, scale=3.0), endd.Members(z))
    levels = torch.tensor([0.001, 0.3, 0.5, 0.975])
    y = prediction.quantile(levels)
    assert y.shape == (4, 7)
    torch.testing.assert_close(
        prediction.marginal.cdf(y), levels.double().unsqueeze(-1).expand(4, 7), rtol=1e-6, atol=1e-9
    )
    lower, upper = prediction.interval(0.9)
    assert bool((lower < upper).all())
    assert prediction.quantile(0.0)[0] == -torch.inf
    assert prediction.quantile(1.0)[0] == torch.inf


def test_far_apart_components_still_have_quantiles() -> None:
    z = torch.tensor([[[-100.0, -20.0]], [[100.0, -20.0]]], dtype=torch.float64)
    prediction = Prediction(Gaussian(), endd.Members(z))
    assert float(prediction.quantile(0.25)) == pytest.approx(-100.0, abs=1e-3)
    assert float(prediction.quantile(0.75)) == pytest.approx(100.0, abs=1e-3)


def test_a_vector_has_an_interval_for_each_entry() -> None:
    family = MultivariateGaussian(2, shift=(1.0, -1.0), scale=(0.5, 3.0))
    one = Prediction(family, endd.Point(torch.randn(7, 5, dtype=torch.float64)))
    lower, upper = one.interval(0.9)
    assert lower.shape == (7, 2)
    torch.testing.assert_close((lower + upper) / 2, one.mean, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close((upper - lower) / 2, stats.norm.ppf(0.95) * one.variance.sqrt(), rtol=1e-5, atol=1e-5)
    many = Prediction(family, endd.DiagonalNormal(torch.randn(7, 5), torch.rand(7, 5) + 0.1))
    y = many.sample((20_000,))
    lower, upper = many.interval(0.9)
    assert ((lower < y) & (y < upper)).float().mean(0).sub(0.9).abs().max() < 0.02
    with pytest.raises(NotImplementedError, match=r"intervals of their entries, but got Bernoulli"):
        Prediction(Bernoulli(2), endd.Point(torch.zeros(3, 2))).interval()


def test_counts_have_quantiles() -> None:
    prediction = Prediction(Poisson(), endd.Point(torch.tensor([[0.0], [5.0], [12.0]], dtype=torch.float64)))
    for level in (0.01, 0.5, 0.975):
        expected = stats.poisson.ppf(level, prediction.mean.numpy())
        assert prediction.quantile(level).tolist() == expected.tolist()


def test_probabilities_belong_to_classes_and_means_to_numbers() -> None:
    classes = Prediction(Categorical(3), endd.Members(torch.randn(5, 4, 3)))
    torch.testing.assert_close(classes.probs.sum(-1), torch.ones(4))
    with pytest.raises(AttributeError, match=r"Use \.probs"):
        classes.mean  # noqa: B018
    with pytest.raises(AttributeError, match="predicts no classes"):
        Prediction(Gaussian(), endd.Point(torch.zeros(2, 2))).probs  # noqa: B018
    labels = Prediction(Bernoulli(3), endd.Members(torch.randn(5, 4, 3)))
    torch.testing.assert_close(labels.probs, labels.mean)


def test_parts_follow_the_measure() -> None:
    prediction = Prediction(Categorical(3), endd.Members(torch.randn(5, 4, 3)))
    assert prediction.decompose().measure == "entropy"
    torch.testing.assert_close(prediction.total, prediction.aleatoric + prediction.epistemic)
    assert prediction.decompose("variance").measure == "variance"
    assert prediction.decompose() is prediction.decompose()
    assert len(prediction) == 4
    assert "Categorical" in repr(prediction)


def test_targets_are_checked() -> None:
    prediction = Prediction(Gaussian(), endd.Members(torch.randn(5, 4, 2)))
    with pytest.raises(ValueError, match=r"Expected `y` of shape \(4,\), but got \(4, 1\). Use y.squeeze\(-1\)"):
        prediction.log_prob(torch.zeros(4, 1))
    with pytest.raises(ValueError, match="levels from 0 to 1"):
        prediction.quantile(1.5)


def test_predictions_pickle() -> None:
    prediction = Prediction(Gaussian(), endd.Members(torch.randn(5, 4, 2)))
    torch.testing.assert_close(pickle.loads(pickle.dumps(prediction)).total, prediction.total)


def test_a_prediction_is_freed_with_its_last_reference() -> None:
    prediction = Prediction(Categorical(3), endd.Members(torch.randn(5, 4, 3)))
    _ = prediction.probs, prediction.total
    left = weakref.ref(prediction)
    gc.disable()
    try:
        del prediction
        assert left() is None
    finally:
        gc.enable()


def test_levels_keep_their_digits() -> None:
    z = torch.randn(5, 3, 2, generator=torch.Generator().manual_seed(0))
    for wide in (z, z.double()):
        prediction = Prediction(Gaussian(), endd.Members(wide))
        lower, upper = prediction.interval(1 - 1e-9)
        assert bool(lower.isfinite().all())
        assert bool(upper.isfinite().all())
        mirrored = Prediction(Gaussian(), endd.Members(wide * torch.tensor([-1.0, 1.0])))
        torch.testing.assert_close(mirrored.quantile(1 - 1e-9), -prediction.quantile(1e-9))
        assert torch.equal(prediction.interval(0.99999)[1], prediction.quantile(0.999995))


def test_a_single_row_without_a_batch_has_quantiles() -> None:
    prediction = Prediction(Gaussian(), endd.Point(torch.zeros(2)))
    expected = stats.norm.ppf(0.3) * prediction.variance.sqrt()
    torch.testing.assert_close(prediction.quantile(0.3), expected, rtol=1e-5, atol=1e-6)


def test_variance_is_the_whole_of_the_split() -> None:
    v = endd.DiagonalNormal(torch.zeros(1, 1).double(), torch.full((1, 1), 4.0).double())
    counts = Prediction(Poisson(), v)
    torch.testing.assert_close(counts.variance, counts.total)
    torch.testing.assert_close(counts.mean, torch.tensor([8.0]).double().exp())
    coins = Prediction(Bernoulli(3), endd.Members(torch.randn(4, 5, 3)))
    torch.testing.assert_close(coins.variance, coins.mean * (1 - coins.mean))
    with pytest.raises(AttributeError, match="no mean and no variance"):
        _ = Prediction(Categorical(3), endd.Members(torch.randn(4, 5, 3))).variance


@pytest.mark.parametrize("family", [Gaussian(), Categorical(3), Bernoulli(3), Poisson()])
def test_no_rows_are_no_trouble(family: endd.families.Family) -> None:
    prediction = Prediction(family, endd.Members(torch.zeros(4, 0, family.num_parameters)))
    assert prediction.v.sample((2,)).shape == (2, 0, family.num_parameters)
    assert prediction.total.shape == (0,)
    if family.default_measure == "variance":
        assert prediction.quantile(0.5).shape == (0,)
        assert prediction.interval()[0].shape == (0,)


def test_targets_may_be_an_array() -> None:
    prediction = Prediction(Gaussian(), endd.Point(torch.zeros(3, 2)))
    y = torch.tensor([0.0, 1.0, 2.0])
    assert torch.equal(prediction.log_prob(y.numpy()), prediction.log_prob(y))
