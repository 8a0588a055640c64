"""What a model says about its inputs."""

from functools import cached_property
from typing import Any

import torch
from torch import Tensor
from torch.distributions import Distribution

from endd._elementary import exporting
from endd._transforms import wide_dtype
from endd.families import Family
from endd.integrals import Integrals, integrals_of
from endd.integrals.marginals import Mixture
from endd.uncertainty import Decomposition, decompose_integrals


class Prediction:
    """A family and a distribution v over its parameters, for a batch of inputs; everything else follows.

    >>> import endd
    >>> prediction = Prediction(endd.families.Gaussian(), endd.Members(torch.randn(10, 32, 2)))
    >>> prediction.mean.shape, prediction.epistemic.shape, prediction.quantile(0.975).shape
    (torch.Size([32]), torch.Size([32]), torch.Size([32]))
    """

    def __init__(self, family: Family, v: Distribution) -> None:
        self.family, self.v = family, v
        self._decomposed: dict[tuple[str | None, bool], Decomposition] = {}

    @cached_property
    def _integrals(self) -> Integrals:
        return integrals_of(self.family, self.v)

    @cached_property
    def marginal(self) -> Distribution:
        """The predictive distribution over y, a torch Distribution in the user's units."""
        return self._integrals.marginal()

    @property
    def mean(self) -> Tensor:
        """E[y]."""
        self._check_moments()
        return self._mean

    @cached_property
    def _mean(self) -> Tensor:
        return self._integrals.expectation()

    @property
    def variance(self) -> Tensor:
        """Var[y], of the shape of the mean: E Var[y; z] + Var E[y; z]."""
        self._check_moments()
        return self._integrals.expected_variance().value + self._integrals.variance_of_mean().value

    def _check_moments(self) -> None:
        if self.family.default_measure == "entropy" and not bool(self.marginal.mean.isfinite().all()):
            raise AttributeError("A class label has no mean and no variance. Use .probs for the class probabilities.")

    @property
    def probs(self) -> Tensor:
        """The class probabilities (*batch, K), or the probability of each binary label."""
        if self.family.default_measure != "entropy":
            raise AttributeError(f"{self.family} predicts no classes. Use .mean, .quantile or .log_prob.")
        return self._probs

    @cached_property
    def _probs(self) -> Tensor:
        return self._integrals.probabilities()

    def quantile(self, level: float | Tensor) -> Tensor:
        """The value that y stays below with probability `level`; a tensor of levels goes in front of the batch."""
        return self._quantile(self.marginal, level)

    def _quantile(self, marginal: Distribution, level: float | Tensor) -> Tensor:
        mean = self.v.mean  # levels keep their digits: 1 - 1e-9 is 1 in single precision
        levels = torch.as_tensor(level, dtype=wide_dtype(mean), device=mean.device)
        if not exporting() and not (float(levels.min()) >= 0 and float(levels.max()) <= 1):
            raise ValueError(f"Expected quantile levels from 0 to 1, but got {level}.")
        return marginal.icdf(levels.reshape((*levels.shape, *[1] * len(marginal.batch_shape))))

    def interval(self, level: float = 0.95) -> tuple[Tensor, Tensor]:
        """The central interval that holds y with probability `level`: (lower, upper).

        Where y is a vector, the one of each of its entries by itself, (*batch, D).
        """
        marginal = self.marginal
        if marginal.event_shape and isinstance(marginal, Mixture):
            marginal = marginal.entries()
        lower, upper = self._quantile(marginal, torch.tensor([(1 - level) / 2, (1 + level) / 2], dtype=torch.float64))
        return lower, upper

    def log_prob(self, y: Tensor) -> Tensor:
        """log q~(y) for targets y."""
        return self.marginal.log_prob(torch.as_tensor(y, device=self.v.mean.device))

    def sample(self, sample_shape: tuple[int, ...] = ()) -> Tensor:
        """Draws of y."""
        return self.marginal.sample(torch.Size(sample_shape))

    def decompose(self, measure: str | None = None, *, unbiased: bool = False) -> Decomposition:
        """The split of uncertainty by a measure: see endd.decompose."""
        known = self._decomposed.get((measure, unbiased))
        if known is None:
            known = decompose_integrals(self.family, self.v, self._integrals, measure, unbiased=unbiased)
            self._decomposed[measure, unbiased] = known
        return known

    @property
    def total(self) -> Tensor:
        """The total uncertainty by the family's default measure, (*batch,)."""
        return self.decompose().total

    @property
    def aleatoric(self) -> Tensor:
        """The part that is noise in the data, (*batch,)."""
        return self.decompose().aleatoric

    @property
    def epistemic(self) -> Tensor:
        """The part that is ignorance of the model, (*batch,)."""
        return self.decompose().epistemic

    def __len__(self) -> int:
        return int(self.v.batch_shape[0])

    def __repr__(self) -> str:
        return f"Prediction({self.family}, {self.v})"

    def __getstate__(self) -> dict[str, Any]:
        return {"family": self.family, "v": self.v}

    def __setstate__(self, state: dict[str, Any]) -> None:
        Prediction.__init__(self, state["family"], state["v"])
