"""The likelihood of labelled data."""

import numpy as np
import pytest
import torch
from scipy import special

from endd.distributions import Dirichlet, Members, Point
from endd.families import Categorical, Gaussian
from endd.objectives import DistributionDistillation, NegativeLogLikelihood

GENERATOR = torch.Generator().manual_seed(0)
Z = torch.randn(5, 3, 2, generator=GENERATOR, dtype=torch.float64)
Y = torch.randn(3, generator=GENERATOR, dtype=torch.float64)


def test_a_point_is_scored_by_its_own_density():
    expected = -Gaussian()(Z[0]).log_prob(Y)
    torch.testing.assert_close(NegativeLogLikelihood(Gaussian())(Point(Z[0]), y=Y), expected)


def test_members_are_scored_by_their_mixture():
    weights = torch.tensor([0.1, 0.3, 0.2, 0.25, 0.15], dtype=torch.float64)
    log_q = Gaussian()(Z).log_prob(Y).numpy()
    expected = -special.logsumexp(log_q, axis=0, b=weights.numpy()[:, None])
    np.testing.assert_allclose(NegativeLogLikelihood(Gaussian())(Members(Z, weights), y=Y), expected)


def test_a_dirichlet_is_scored_by_its_mean():
    a, y = Z[0].exp(), torch.tensor([0, 1, 1])
    expected = -(a / a.sum(-1, keepdim=True)).log()[torch.arange(3), y]
    torch.testing.assert_close(NegativeLogLikelihood(Categorical(2))(Dirichlet(a), None, y), expected)


def test_it_adds_to_distillation():
    v, teacher = Dirichlet(Z[0].exp()), Members(Z)
    y = torch.tensor([0, 1, 1])
    labels = NegativeLogLikelihood(Categorical(2))
    objective = DistributionDistillation() + 0.1 * labels
    expected = DistributionDistillation()(v, teacher) + 0.1 * labels(v, y=y)
    torch.testing.assert_close(objective(v, teacher, y), expected)


def test_targets_are_needed():
    with pytest.raises(ValueError, match="Expected targets `y` for NegativeLogLikelihood, but got none"):
        NegativeLogLikelihood(Gaussian())(Point(Z[0]), Members(Z))


def test_a_column_of_targets_raises():
    with pytest.raises(ValueError, match=r"Expected `y` of shape \(3,\), but got \(3, 1\)\. Use y\.squeeze\(-1\)\."):
        NegativeLogLikelihood(Gaussian())(Point(Z[0]), y=Y[:, None])
