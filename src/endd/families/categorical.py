"""Classification: y is one of K classes."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.distributions import Categorical as TorchCategorical

from endd._checks import check_floating, check_option, check_parameters, check_target, describe
from endd._transforms import deviations, entropy_terms
from endd.families.base import Nodes, Unitless


@dataclass(frozen=True)
class Categorical(Unitless):
    """q(y; z) = softmax(z)_y with K logits, or with K - 1 logits against a reference class (the paper's form).

    num_classes: K. reference: None for K logits; a class whose logit is fixed at 0 for K - 1 of them.

    >>> Categorical(3)(torch.zeros(2, 3)).probs.shape
    torch.Size([2, 3])
    >>> Categorical(3, reference=2).num_parameters
    2
    """

    num_classes: int
    reference: int | None = None
    default_measure = "entropy"

    def __post_init__(self) -> None:
        if self.num_classes < 2:
            raise ValueError(f"Expected `num_classes` of at least 2, but got {self.num_classes}.")
        if self.reference is not None and not 0 <= self.reference < self.num_classes:
            raise ValueError(
                f"Expected `reference` to be a class from 0 to {self.num_classes - 1}, but got {self.reference}."
            )

    @property
    def num_parameters(self) -> int:  # type: ignore[override]
        """K, or K - 1 with a reference class."""
        return self.num_classes - (self.reference is not None)

    @property
    def shift_invariant(self) -> bool:  # type: ignore[override]
        """K logits are defined up to a shift; K - 1 are not."""
        return self.reference is None

    def logits(self, z: Tensor) -> Tensor:
        """All K logits, (*batch, K)."""
        if self.reference is None:
            return z
        zero = torch.zeros_like(z[..., :1])
        return torch.cat([z[..., : self.reference], zero, z[..., self.reference :]], -1)

    def log_probs(self, z: Tensor) -> Tensor:
        """log softmax over the K classes, (*batch, K)."""
        return self.logits(z).log_softmax(-1)

    def standard(self, z: Tensor) -> TorchCategorical:
        """The distribution over classes."""
        return TorchCategorical(logits=self.logits(z), validate_args=False)

    def mean(self, z: Tensor) -> Tensor:
        """The mean of the one-hot y: the K probabilities."""
        return self.log_probs(z).exp()

    def variance(self, z: Tensor) -> Tensor:
        """The label-wise variance p (1 - p)."""
        probs = self.mean(z)
        return probs * (1 - probs)

    def entropy(self, z: Tensor) -> Tensor:
        """-sum_k p_k log p_k."""
        return entropy_terms(self.log_probs(z)).sum(-1)

    def pairwise_kl(self, z: Tensor, weights: Tensor) -> Tensor:
        """sum_k Cov_j(p_jk, log p_jk): the members' log probabilities rise with their probabilities."""
        log_probs = self.log_probs(z)
        return comonotone_covariance(log_probs, weights).sum(-1)

    def nodes(self, z: Tensor, weights: Tensor) -> Nodes:
        """All K classes, weighted by the mixture's probabilities."""
        chances = torch.einsum("m,m...k->k...", weights, self.mean(z))
        classes = torch.arange(self.num_classes, device=z.device)
        return Nodes(classes.reshape(-1, *[1] * (z.ndim - 2)).expand(chances.shape), chances, "exact")

    def as_target(self, y: Any, batch: torch.Size, dtype: torch.dtype, *, samples: bool = False) -> Tensor:
        """y as int64 classes."""
        check_target(y, batch, samples=samples)
        if y.is_floating_point() or y.dtype == torch.bool:
            raise TypeError(f"Expected `y` to hold integer classes, but got {describe(y)}. Use y.long().")
        if y.numel() and not (int(y.min()) >= 0 and int(y.max()) < self.num_classes):
            raise ValueError(
                f"Expected classes from 0 to {self.num_classes - 1} in `y`, "
                f"but got values from {int(y.min())} to {int(y.max())}."
            )
        return y.long()  # type: ignore[no-any-return]

    def canonical(self, outputs: Tensor, form: str = "parameters") -> Tensor:
        """z from "parameters" (z itself), K "logits", or K "probs"."""
        check_option("form", form, ["parameters", "logits", "probs"])
        if form == "parameters":
            check_parameters(outputs, self.num_parameters, self)
            return outputs
        check_floating("outputs", outputs)
        if outputs.ndim == 0 or outputs.shape[-1] != self.num_classes:
            raise ValueError(f"Expected {self.num_classes} {form} a row, but got {describe(outputs)}.")
        logits = outputs if form == "logits" else probs_to_logits(outputs)
        if self.reference is None:
            return logits
        rest = [k for k in range(self.num_classes) if k != self.reference]
        return logits[..., rest] - logits[..., self.reference, None]


def probs_to_logits(probs: Tensor) -> Tensor:
    """log p, with zeros lifted to the smallest normal number so that the result is finite."""
    total = probs.sum(-1)
    if not bool(((probs >= 0).all()) & ((total - 1).abs() < 1e-2).all()):
        raise ValueError(
            "Expected probabilities that are at least 0 and sum to 1 in the last dimension, but got sums from "
            f"{float(total.min()):.4g} to {float(total.max()):.4g}. Pass logits with form='logits'."
        )
    return probs.clamp(min=torch.finfo(probs.dtype).tiny).log()


def comonotone_covariance(log_values: Tensor, weights: Tensor) -> Tensor:
    """Cov_j(e^{l_j}, l_j) over the first dimension, as a sum of terms none of which is negative.

    Any constant may be taken off the first factor, because the second averages to zero; with e^{mean l} both
    factors always have the same sign. Where one l_j is -inf it is infinite, unless all are.
    """
    none = log_values == -torch.inf
    log_values = log_values.masked_fill(none, 0.0)
    away = deviations(log_values, weights)
    values, small = log_values.exp(), away.clamp(-1, 1)
    rise = torch.where(away == small, values * -torch.expm1(-small), values - (log_values - away).exp())
    covariance = torch.einsum("m,m...->...", weights, (rise * away).clamp(min=0))
    return torch.where(none.any(0), torch.where(none.all(0), 0.0, torch.inf), covariance)
