"""Losses of labelled data: what members are trained with."""

from collections.abc import Callable

from torch import Tensor

from endd._checks import check_option
from endd.families import Family, Gaussian

#: (family, z, y) -> the loss of each example; z and y in the family's standardised units.
Loss = Callable[[Family, Tensor, Tensor], Tensor]


def nll(family: Family, z: Tensor, y: Tensor) -> Tensor:
    """-log q(y; z), up to the constant that the user's units add."""
    return -family.log_prob(z, y)


def beta_nll(family: Family, z: Tensor, y: Tensor, beta: float = 0.5) -> Tensor:
    """variance^beta x nll, the factor without gradient (Seitzer et al. 2022): points that look noisy still count."""
    return _gaussian(family).raw_to_variance(z[..., 1]).detach() ** beta * nll(family, z, y)


def faithful(family: Family, z: Tensor, y: Tensor) -> Tensor:
    """1/2 (y - mean)^2 + nll with the mean held fixed (Stirn et al. 2023): the variance cannot spoil the mean."""
    mean, variance = z[..., 0], _gaussian(family).raw_to_variance(z[..., 1])
    square = (y - mean).square()
    return square / 2 + (variance.log() + square.detach() / variance) / 2


LOSSES: dict[str, Loss] = {"nll": nll, "beta_nll": beta_nll, "faithful": faithful}


def as_loss(loss: str | Loss) -> Loss:
    """A loss by name, or the loss itself."""
    if isinstance(loss, str):
        check_option("loss", loss, LOSSES)
        return LOSSES[loss]
    return loss


def _gaussian(family: Family) -> Gaussian:
    if not isinstance(family, Gaussian):
        raise TypeError(f"Expected the Gaussian family for this loss, but got {family}. Use loss='nll'.")
    return family
