"""Marginals are torch Distributions that refuse targets of the wrong shape."""

import pytest
import torch
from torch.distributions import Bernoulli, Categorical, MixtureSameFamily

import endd
from endd import families


def test_closed_mixtures_stay_in_their_family() -> None:
    z = torch.randn(5, 4, 3)
    assert isinstance(endd.marginal(families.Categorical(3), endd.Members(z)), Categorical)
    assert isinstance(endd.marginal(families.Bernoulli(), endd.Members(z[..., :1])), Bernoulli)
    assert isinstance(endd.marginal(families.Gaussian(), endd.Members(z[..., :2])), MixtureSameFamily)


def test_mixture_of_classes_is_the_mean_of_the_probabilities() -> None:
    z, weights = torch.randn(3, 4, 5), torch.tensor([0.5, 0.3, 0.2])
    mean = torch.einsum("m,mbk->bk", weights, z.softmax(-1))
    torch.testing.assert_close(endd.marginal(families.Categorical(5), endd.Members(z, weights)).probs, mean)
    coin = endd.marginal(families.Bernoulli(), endd.Members(z[..., :1], weights))
    torch.testing.assert_close(coin.probs, torch.einsum("m,mb->b", weights, z[..., 0].sigmoid()))


@pytest.mark.parametrize(
    "family", [families.Gaussian(), families.Categorical(2), families.Bernoulli(), families.Poisson()]
)
def test_columns_are_refused_and_sample_dimensions_are_not(family: families.Family) -> None:
    marginal = endd.marginal(family, endd.Members(torch.randn(3, 4, family.num_parameters)))
    y = marginal.sample(torch.Size([6]))
    assert marginal.log_prob(y).shape == (6, 4)
    with pytest.raises(ValueError, match=r"Use y.squeeze\(-1\)"):
        marginal.log_prob(y[0].unsqueeze(-1))


@pytest.mark.parametrize(
    ("family", "y", "error", "message"),
    [
        (families.Categorical(3), torch.tensor([0, 3]), ValueError, "classes from 0 to 2"),
        (families.Categorical(3), torch.tensor([0.0, 1.0]), TypeError, r"Use y.long\(\)"),
        (families.Bernoulli(), torch.tensor([0, 2]), ValueError, "labels 0 and 1"),
        (families.Poisson(), torch.tensor([0.5, 2.0]), ValueError, "counts 0, 1, 2"),
        (families.Poisson(), torch.tensor([-1, 2]), ValueError, "counts 0, 1, 2"),
        (families.MultivariateGaussian(2), torch.zeros(2), ValueError, r"shape \(2, 2\)"),
        (families.Gaussian(), [0.0, 1.0], TypeError, r"Use torch.as_tensor\(y\)"),
    ],
)
def test_targets_outside_the_support_are_named(
    family: families.Family, y: object, error: type[Exception], message: str
) -> None:
    marginal = endd.marginal(family, endd.Point(torch.zeros(2, family.num_parameters)))
    with pytest.raises(error, match=message):
        marginal.log_prob(y)  # type: ignore[arg-type]


def test_vectors_have_no_quantiles() -> None:
    with pytest.raises(NotImplementedError, match="this y is a vector"):
        endd.marginal(families.MultivariateGaussian(2), endd.Point(torch.zeros(2, 5))).icdf(torch.tensor(0.5))


def test_integer_targets_work_in_any_precision() -> None:
    for dtype in (torch.float32, torch.float64):
        v = endd.Members(torch.randn(3, 4, 1, dtype=dtype))
        for family in (families.Bernoulli(), families.Poisson()):
            assert endd.marginal(family, v).log_prob(torch.tensor([0, 1, 1, 0])).dtype == dtype
