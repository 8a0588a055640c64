"""A Dirichlet distribution over class probabilities, spoken of in logits."""

import math
from typing import Any

import torch
from torch import Tensor
from torch.distributions import Distribution, constraints

from endd._checks import check_floating, describe
from endd._elementary import digamma
from endd._transforms import smooth_clamp, wide_dtype
from endd.distributions.form import Configured
from endd.distributions.normal import describe_distribution

MIN_CONCENTRATION, MAX_CONCENTRATION = 1e-6, 1e8


class Dirichlet(Distribution):
    """v over logits z with softmax(z) ~ Dir(a), concentration a of shape (*batch, K).

    `log_prob` is the density on the simplex, log Dir(softmax z; a); draws are log p, centred over the classes.

    >>> Dirichlet(torch.full((2, 3), 5.0))
    Dirichlet(batch=(2,), P=3)
    """

    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}
    support = constraints.real_vector
    has_rsample = True
    shift_invariant = True

    def __init__(self, concentration: Tensor, validate_args: bool | None = None) -> None:
        check_floating("concentration", concentration)
        if concentration.ndim < 1 or concentration.shape[-1] < 2:
            raise ValueError(
                f"Expected `concentration` of shape (..., K) with K of at least 2, but got {describe(concentration)}."
            )
        self.concentration = concentration
        self._raw: Tensor | None = None
        self._bounds = math.log(MIN_CONCENTRATION), math.log(MAX_CONCENTRATION)
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args=validate_args)

    @classmethod
    def of(cls, **options: Any) -> Configured:
        """This distribution with options, for `Student(net, family, v=...)`."""
        return Configured(cls, options)

    @classmethod
    def raw_size(cls, P: int, **_: Any) -> int:
        """One number a class."""
        return P

    @classmethod
    def from_raw(
        cls,
        raw: Tensor,
        *,
        min_concentration: float = MIN_CONCENTRATION,
        max_concentration: float = MAX_CONCENTRATION,
    ) -> "Dirichlet":
        """a = exp(raw), bent smoothly into [min_concentration, max_concentration]: the mean is softmax(raw)."""
        bounds = math.log(min_concentration), math.log(max_concentration)
        made = cls(smooth_clamp(raw, *bounds).exp(), validate_args=False)
        made._raw, made._bounds = raw, bounds
        return made

    def tempered(self, temperature: float) -> "Dirichlet":
        """That of a^(1/T), which a student reaches by exp(raw / T): the bounds hold for this, not for a itself.

        >>> Dirichlet.from_raw(torch.tensor([60.0, 0.0])).tempered(10.0).concentration.log().round(decimals=3)
        tensor([6., 0.])
        """
        if self._raw is None:
            return Dirichlet(self.concentration ** (1 / temperature), validate_args=False)
        return Dirichlet(smooth_clamp(self._raw / temperature, *self._bounds).exp(), validate_args=False)

    def expand(self, batch_shape: Any, _instance: Any = None) -> "Dirichlet":
        """The same distribution over a larger batch."""
        return Dirichlet(self.concentration.expand(*batch_shape, -1), validate_args=False)

    @property
    def mean(self) -> Tensor:
        """E[z_k] = psi(a_k) - mean_j psi(a_j)."""
        expected = digamma(self.concentration.to(wide_dtype(self.concentration)))
        return (expected - expected.mean(-1, keepdim=True)).to(self.concentration.dtype)

    @property
    def variance(self) -> Tensor:
        """Var[z_k]: log-gamma variances psi'(a), with the centring taken into account."""
        spread = torch.polygamma(1, self.concentration)
        K = self.event_shape[0]
        return spread * (1 - 2 / K) + spread.sum(-1, keepdim=True) / K**2

    def rsample(self, sample_shape: torch.Size | list[int] | tuple[int, ...] = ()) -> Tensor:
        """Centred log p. Gamma(a) = Gamma(a + 1) U^(1/a), taken in logs, so that a tiny a does not underflow."""
        shape = torch.Size([*sample_shape, *self.concentration.shape])
        a = self.concentration.expand(shape)
        gamma: Tensor = torch._standard_gamma(a + 1)
        # 1 - U lies in (0, 1], where the logarithm is finite
        log_gamma = gamma.log() + torch.log1p(-torch.rand_like(a)) / a
        return log_gamma - log_gamma.mean(-1, keepdim=True)

    def log_prob(self, value: Tensor) -> Tensor:
        """log Dir(softmax z; a) = log G(a_0) - sum_k log G(a_k) + sum_k (a_k - 1) log p_k."""
        if self._validate_args:
            self._validate_sample(value)
        wide = wide_dtype(self.concentration)
        a = self.concentration.to(wide)
        log_probs = value.to(wide).log_softmax(-1)
        normaliser = torch.lgamma(a.sum(-1)) - torch.lgamma(a).sum(-1)
        return (normaliser + ((a - 1) * log_probs).sum(-1)).to(self.concentration.dtype)

    def __repr__(self) -> str:
        return describe_distribution(self)
