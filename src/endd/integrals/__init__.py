"""Integrals over v: the marginal predictive and the expectations behind the split of uncertainty."""

from torch import Tensor
from torch.distributions import Distribution

from endd.families import Family
from endd.integrals import (  # noqa: F401  (importing a rule registers it)
    atoms,
    categorical_atoms,
    categorical_dirichlet,
    gaussian_normal,
    multivariate_gaussian_normal,
    points,
    poisson_normal,
)
from endd.integrals.base import Integrals, check_pair, integrals_of, registry
from endd.integrals.result import Integral

__all__ = [
    "Integral",
    "Integrals",
    "check_pair",
    "expected_entropy",
    "expected_log_prob",
    "expected_variance",
    "integrals_of",
    "marginal",
    "registry",
    "variance_of_mean",
]


def marginal(family: Family, v: Distribution) -> Distribution:
    """The marginal predictive q~(y) = int q(y; z) v(z) dz, a torch Distribution over y.

    `.method` says how it was obtained: "exact", "quadrature", "qmc" or "sampled".
    """
    return integrals_of(family, v).marginal()


def expected_entropy(family: Family, v: Distribution) -> Integral:
    """E_v H[q(.; z)] in nats, of shape (*batch,)."""
    return integrals_of(family, v).expected_entropy()


def expected_variance(family: Family, v: Distribution) -> Integral:
    """E_v Var[y; z]: (*batch, *event), and (*batch, K) for classes."""
    return integrals_of(family, v).expected_variance()


def variance_of_mean(family: Family, v: Distribution) -> Integral:
    """Var_v E[y; z], of the shape of `expected_variance`."""
    return integrals_of(family, v).variance_of_mean()


def expected_log_prob(family: Family, v: Distribution, y: Tensor) -> Integral:
    """E_v log q(y; z) for targets y, of shape (*batch,)."""
    return integrals_of(family, v).expected_log_prob(y)
