"""The likelihood of labelled data."""

from dataclasses import dataclass

from torch import Tensor
from torch.distributions import Distribution

from endd.distributions import Atoms
from endd.families import Family
from endd.integrals import marginal
from endd.objectives.base import Objective


@dataclass(frozen=True)
class NegativeLogLikelihood(Objective):
    """-log q~(y) of the marginal predictive: how members are trained, and the term for the labels that exist."""

    family: Family

    def __call__(self, v: Distribution, teacher: Atoms | None = None, y: Tensor | None = None) -> Tensor:
        """-log q~(y), (B,). No teacher is needed."""
        if y is None:
            raise ValueError(f"Expected targets `y` for {type(self).__name__}, but got none. Pass labelled data.")
        return -marginal(self.family, v).log_prob(y)
