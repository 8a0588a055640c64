"""Yes or no: one binary label, or many that are independent given z."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor
from torch.distributions import Bernoulli as TorchBernoulli
from torch.distributions import Distribution, Independent, constraints

from endd._checks import check_option, check_parameters, check_target
from endd._elementary import exporting, logsigmoid, sigmoid
from endd._points import constants, sobol_uniform
from endd._transforms import deviations
from endd.families.base import Nodes, Unitless, check_support, score_weights

# Up to 2^8 label vectors are enumerated; beyond that so many are drawn from Sobol points.
MAX_ENUMERATED, NUM_DRAWN = 8, 256


class _Coin(TorchBernoulli):
    """torch's, but for a log_prob that stays finite in a graph too."""

    def log_prob(self, value: Tensor) -> Tensor:
        """log sigmoid of the logit, or of its negative where y = 0."""
        if not exporting():
            return super().log_prob(value)  # type: ignore[no-any-return, no-untyped-call]
        return logsigmoid(torch.where(value > 0.5, self.logits, -self.logits))


class _Coins(Independent):  # type: ignore[type-arg]
    """The same for vectors of labels."""

    def log_prob(self, value: Tensor) -> Tensor:
        """sum_d log sigmoid(-z_d) + y_d z_d.

        A graph is asked for values (N, 1, *batch, D) under atoms (M, *batch, D), and makes the last sum a matrix
        product, where N x M x D numbers an input would fill the memory.
        """
        if not exporting():
            return super().log_prob(value)  # type: ignore[no-any-return, no-untyped-call]
        logits: Tensor = self.base_dist.logits
        product: Tensor = value.squeeze(1).movedim(0, -2) @ logits.movedim(0, -1)
        return product.movedim((-2, -1), (0, 1)) + logsigmoid(-logits).sum(-1)


@dataclass(frozen=True)
class Bernoulli(Unitless):
    """q(y; z) with P(y_d = 1) = sigmoid(z_d).

    num_labels: None for one label, y of shape (B,) and P = 1; D for a vector of labels, y (B, D) and P = D.
    Given z the labels are independent; the marginal correlates them through z.

    >>> Bernoulli()(torch.zeros(4, 1)).mean
    tensor([0.5000, 0.5000, 0.5000, 0.5000])
    """

    num_labels: int | None = None
    default_measure = "entropy"

    def __post_init__(self) -> None:
        if self.num_labels is not None and self.num_labels < 1:
            raise ValueError(
                f"Expected `num_labels` of at least 1 (or None for a scalar y), but got {self.num_labels}."
            )

    @property
    def num_parameters(self) -> int:  # type: ignore[override]
        """One logit a label."""
        return self.num_labels or 1

    @property
    def event_shape(self) -> torch.Size:  # type: ignore[override]
        """() for one label, (D,) for many."""
        return torch.Size() if self.num_labels is None else torch.Size([self.num_labels])

    def _logits(self, z: Tensor) -> Tensor:
        return z.squeeze(-1) if self.num_labels is None else z

    def _over_labels(self, values: Tensor) -> Tensor:
        return values if self.num_labels is None else values.sum(-1)

    def standard(self, z: Tensor) -> Distribution:
        """Independent labels."""
        labels = _Coin(logits=self._logits(z), validate_args=False)
        return labels if self.num_labels is None else _Coins(labels, 1, validate_args=False)

    def entropy(self, z: Tensor) -> Tensor:
        """-sum_d [p log p + (1 - p) log (1 - p)]."""
        logits = self._logits(z)
        terms = sigmoid(logits) * logsigmoid(logits) + sigmoid(-logits) * logsigmoid(-logits)
        return self._over_labels(-terms)

    def pairwise_kl(self, z: Tensor, weights: Tensor) -> Tensor:
        """sum_d Cov_j(p_j, logit_j), each term a product of two numbers of the same sign."""
        logits = self._logits(z)
        away = deviations(logits, weights)
        rise = logits.sigmoid() - (logits - away).sigmoid()
        return self._over_labels(torch.einsum("m,m...->...", weights, (rise * away).clamp(min=0)))

    def nodes(self, z: Tensor, weights: Tensor) -> Nodes:
        """Every label vector while there are few, else Sobol draws from the mixture."""
        if self.num_parameters > MAX_ENUMERATED:
            return self._drawn_nodes(z, weights)
        D, batch = self.num_parameters, z.shape[1:-1]
        y = _label_vectors(D, z.dtype, z.device).reshape(-1, *[1] * len(batch), D).expand(-1, *batch, D)
        y = y.squeeze(-1) if self.num_labels is None else y
        chances = self(z).log_prob(y.unsqueeze(1)).exp()
        return Nodes(y, torch.einsum("m,nm...->n...", weights, chances), "exact")

    def _drawn_nodes(self, z: Tensor, weights: Tensor) -> Nodes:
        """The first Sobol coordinate picks a component, the others its labels."""
        u = sobol_uniform(NUM_DRAWN, 1 + self.num_parameters, z.dtype, z.device)
        edges = weights.cumsum(0).to(z.dtype)
        component = (edges < u[:, :1]).sum(-1).clamp(max=len(weights) - 1)
        thresholds = u[:, 1:].reshape(NUM_DRAWN, *[1] * (z.ndim - 2), self.num_parameters)
        y = (thresholds < z.sigmoid()[component]).to(z.dtype)
        if z.requires_grad or weights.requires_grad:
            return Nodes(y, score_weights(self(z), y, weights), "qmc")
        return Nodes(y, z.new_full(y.shape[:-1], 1 / NUM_DRAWN), "qmc")

    def as_target(self, y: Any, batch: torch.Size, dtype: torch.dtype, *, samples: bool = False) -> Tensor:
        """y as zeros and ones in floating point."""
        check_target(y, batch, self.event_shape, samples=samples)
        return check_support(y.to(dtype), constraints.boolean, "labels 0 and 1")

    def canonical(self, outputs: Tensor, form: str = "parameters") -> Tensor:
        """z from "parameters" or "logits" (z itself) or "probs"."""
        check_option("form", form, ["parameters", "logits", "probs"])
        check_parameters(outputs, self.num_parameters, self)
        if form != "probs":
            return outputs
        if not bool(((outputs >= 0) & (outputs <= 1)).all()):
            raise ValueError("Expected probabilities from 0 to 1, but got others. Pass logits with form='logits'.")
        tiny = torch.finfo(outputs.dtype).tiny
        return outputs.clamp(min=tiny).log() - (1 - outputs).clamp(min=tiny).log()


@lru_cache(maxsize=64)
def _label_vectors(D: int, dtype: torch.dtype, device: torch.device) -> Tensor:
    """All vectors of D zeros and ones, (2^D, D)."""
    with constants():
        return (torch.arange(2**D).unsqueeze(-1) >> torch.arange(D) & 1).to(device, dtype)
