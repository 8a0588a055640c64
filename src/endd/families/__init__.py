"""Predictive families q(y; z): what a network's outputs z say about y."""

from endd.families.base import Family, Nodes, Unitless
from endd.families.bernoulli import Bernoulli
from endd.families.categorical import Categorical
from endd.families.gaussian import Gaussian
from endd.families.multivariate_gaussian import MultivariateGaussian
from endd.families.poisson import Poisson

__all__ = [
    "Bernoulli",
    "Categorical",
    "Family",
    "Gaussian",
    "MultivariateGaussian",
    "Nodes",
    "Poisson",
    "Unitless",
]
