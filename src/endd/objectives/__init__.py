"""Training objectives, per example; they add up and take weights."""

from endd.objectives.at_points import AtPoints
from endd.objectives.base import Objective, WeightedSum
from endd.objectives.dirichlet import Annealing, DirichletDistillation
from endd.objectives.distribution import DistributionDistillation, mean_and_spread
from endd.objectives.epistemic import EpistemicDistillation
from endd.objectives.hydra import HydraDistillation
from endd.objectives.likelihood import NegativeLogLikelihood
from endd.objectives.mixture import MixtureDistillation
from endd.objectives.moments import MomentDistillation
from endd.objectives.proxy_dirichlet import ProxyDirichletDistillation, fitted_dirichlet

__all__ = [
    "Annealing",
    "AtPoints",
    "DirichletDistillation",
    "DistributionDistillation",
    "EpistemicDistillation",
    "HydraDistillation",
    "MixtureDistillation",
    "MomentDistillation",
    "NegativeLogLikelihood",
    "Objective",
    "ProxyDirichletDistillation",
    "WeightedSum",
    "fitted_dirichlet",
    "mean_and_spread",
]
