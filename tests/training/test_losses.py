"""Losses of labelled data have the values and gradients that their papers define."""

import pytest
import torch
from torch import Tensor

from endd.families import Categorical, Gaussian, Poisson
from endd.training.losses import LOSSES, as_loss, beta_nll, faithful, nll

FAMILY = Gaussian(min_variance=1e-3)


@pytest.fixture
def z() -> Tensor:
    return torch.randn(40, 2, dtype=torch.float64).requires_grad_()


@pytest.fixture
def y() -> Tensor:
    return torch.randn(40, dtype=torch.float64)


def slope(losses: Tensor, z: Tensor) -> Tensor:
    return torch.autograd.grad(losses.sum(), z)[0]


def test_nll_is_the_negative_log_density(z: Tensor, y: Tensor) -> None:
    torch.testing.assert_close(nll(FAMILY, z, y), -FAMILY(z).log_prob(y))


@pytest.mark.parametrize("family", [Categorical(3), Poisson()])
def test_nll_is_for_every_family(family: Categorical | Poisson) -> None:
    z, y = torch.randn(5, family.num_parameters), torch.tensor([0, 1, 2, 1, 0])
    torch.testing.assert_close(nll(family, z, y), -family(z).log_prob(y))


def test_nll_in_units_differs_from_the_standardised_one_by_a_constant(z: Tensor, y: Tensor) -> None:
    family = FAMILY.in_units(5.0, 2.0)
    off = nll(family, z, family.standardise(y)) + family(z).log_prob(y)
    torch.testing.assert_close(off, torch.full_like(off, -torch.tensor(2.0).log().item()))


@pytest.mark.parametrize("beta", [0.0, 0.5, 1.0])
def test_the_gradient_of_beta_nll_is_that_of_nll_times_variance_to_the_beta(z: Tensor, y: Tensor, beta: float) -> None:
    weight = FAMILY.raw_to_variance(z[:, 1:]).detach() ** beta
    torch.testing.assert_close(slope(beta_nll(FAMILY, z, y, beta), z), weight * slope(nll(FAMILY, z, y), z))


def test_beta_nll_at_one_moves_the_mean_like_a_squared_error(z: Tensor, y: Tensor) -> None:
    torch.testing.assert_close(slope(beta_nll(FAMILY, z, y, 1.0), z)[:, 0], z.detach()[:, 0] - y)


def test_the_faithful_gradient_of_the_mean_is_that_of_half_the_squared_error(z: Tensor, y: Tensor) -> None:
    torch.testing.assert_close(slope(faithful(FAMILY, z, y), z)[:, 0], z.detach()[:, 0] - y)


def test_the_faithful_gradient_of_the_variance_is_that_of_nll(z: Tensor, y: Tensor) -> None:
    torch.testing.assert_close(slope(faithful(FAMILY, z, y), z)[:, 1], slope(nll(FAMILY, z, y), z)[:, 1])


@pytest.mark.parametrize("name", ["beta_nll", "faithful"])
def test_losses_of_a_variance_refuse_other_families(name: str) -> None:
    with pytest.raises(TypeError, match=r"Gaussian family.*Poisson"):
        LOSSES[name](Poisson(), torch.randn(5, 1), torch.ones(5))


def test_a_function_is_a_loss_and_an_unknown_name_is_named() -> None:
    assert as_loss("nll") is nll
    assert as_loss(faithful) is faithful
    with pytest.raises(ValueError, match="`loss` to be one of 'nll', 'beta_nll', 'faithful', but got 'mse'"):
        as_loss("mse")
