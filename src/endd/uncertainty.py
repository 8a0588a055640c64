"""The split of predictive uncertainty: total = aleatoric + epistemic."""

from dataclasses import dataclass, field
from functools import cached_property

from torch import Tensor
from torch.distributions import Distribution

from endd._checks import check_option, describe
from endd.distributions import Atoms
from endd.families import Family
from endd.integrals import Integral, Integrals, integrals_of
from endd.integrals.result import worst

MEASURES = ("variance", "entropy", "pairwise_kl")


@dataclass(frozen=True)
class Matrices:
    """The split of a vector's covariance, each (*batch, D, D)."""

    aleatoric: Tensor
    epistemic: Tensor

    @property
    def total(self) -> Tensor:
        """aleatoric + epistemic."""
        return self.aleatoric + self.epistemic


@dataclass(frozen=True)
class Decomposition:
    """Three numbers an input: noise in the data, ignorance of the model, and their sum.

    measure: what was split. method: how it was obtained, "exact", "quadrature", "qmc" or "sampled".
    """

    aleatoric: Tensor
    epistemic: Tensor
    measure: str
    method: str
    _parts: tuple[Integral, Integral] = field(repr=False)
    _integrals: Integrals = field(repr=False)
    _correction: float = field(default=1.0, repr=False)

    @property
    def total(self) -> Tensor:
        """aleatoric + epistemic."""
        return self.aleatoric + self.epistemic

    @property
    def error(self) -> tuple[Tensor, Tensor]:
        """The declared bounds on |aleatoric - truth| and |epistemic - truth|."""
        batch = self.aleatoric.ndim
        aleatoric, epistemic = (_per_input(part.error, batch) for part in self._parts)
        return aleatoric, self._correction * epistemic

    @cached_property
    def covariance(self) -> Matrices:
        """The same split for the covariance matrix of a vector y; its trace is the variance split."""
        if self.measure != "variance":
            raise ValueError(f"Expected measure 'variance' for a covariance, but this split is of {self.measure!r}.")
        aleatoric = self._integrals.expected_covariance()
        return Matrices(aleatoric, self._correction * self._integrals.covariance_of_mean())


def decompose(family: Family, v: Distribution, measure: str | None = None, *, unbiased: bool = False) -> Decomposition:
    """Split the uncertainty of the marginal predictive of (family, v) into aleatoric and epistemic.

    measure:
      "variance": E Var[y; z] and Var E[y; z] (law of total variance), summed over the entries of a vector y and over
        the labels of a class; the default for regression.
      "entropy": E H[q] and E KL(q || q~), the mutual information; differential entropy for continuous y; the default
        for classification.
      "pairwise_kl": E H[q] and E KL(q || q') over all pairs; the total is the expected cross-entropy of a pair.
    unbiased: for atoms, divide the epistemic variance by 1 - sum_j w_j^2, which is (M - 1) / M for equal ones.

    >>> import torch, endd
    >>> parts = endd.decompose(endd.families.Gaussian(), endd.Members(torch.randn(10, 32, 2)))
    >>> parts.total.shape
    torch.Size([32])
    """
    return decompose_integrals(family, v, integrals_of(family, v), measure, unbiased=unbiased)


def decompose_integrals(
    family: Family, v: Distribution, integrals: Integrals, measure: str | None, *, unbiased: bool = False
) -> Decomposition:
    """`decompose` with the integrals at hand, so that a prediction computes them once."""
    measure = family.default_measure if measure is None else measure
    check_option("measure", measure, MEASURES)
    correction = _correction(v, measure) if unbiased else 1.0
    aleatoric, epistemic = _parts(integrals, measure)
    batch = len(v.batch_shape)
    return Decomposition(
        aleatoric=_per_input(aleatoric.value, batch),
        epistemic=_per_input(epistemic.value, batch) * correction if unbiased else _per_input(epistemic.value, batch),
        measure=measure,
        method=worst(aleatoric.method, epistemic.method),
        _parts=(aleatoric, epistemic),
        _integrals=integrals,
        _correction=correction,
    )


def _parts(integrals: Integrals, measure: str) -> tuple[Integral, Integral]:
    if measure == "variance":
        return integrals.expected_variance(), integrals.variance_of_mean()
    if measure == "entropy":
        return integrals.expected_entropy(), integrals.information()
    return integrals.expected_entropy(), integrals.expected_pairwise_kl()


def _per_input(values: Tensor, batch: int) -> Tensor:
    """Sum over what is left of an event: the trace over a vector's entries, or over classes."""
    return values.flatten(batch).sum(-1) if values.ndim > batch else values


def _correction(v: Distribution, measure: str) -> float:
    if measure != "variance":
        raise ValueError(f"Expected measure 'variance' with unbiased=True, but got {measure!r}. Drop unbiased.")
    if not isinstance(v, Atoms):
        return 1.0
    left = 1 - float(v.weights.square().sum())
    if left <= 0:
        raise ValueError(f"Expected at least two atoms for an unbiased variance, but got {describe(v)}.")
    return 1 / left
