"""What a predictive family is: q(y; z), a distribution over y for every parameter vector z."""

import copy
from abc import ABC, abstractmethod
from typing import Any, NamedTuple, Self

import torch
from jaxtyping import Float
from torch import Tensor
from torch.distributions import Distribution, constraints

from endd._checks import check_option, check_parameters, check_target, describe
from endd._points import Points, draw_fixed, phased_lines
from endd._transforms import log_weights
from endd.families.units import Units, check_units, rescale

NUM_DRAWS = 256


class Nodes(NamedTuple):
    """Values of y and weights with which an average over a mixture of q's becomes a sum.

    y: (N, *batch, *event); weights: (N, *batch), summing to 1 over N; method: how good the rule is.
    """

    y: Tensor
    weights: Tensor
    method: str


class Family(ABC):
    """q(y; z): maps unconstrained z of shape (*batch, P) to a torch Distribution over y.

    A family of your own needs `num_parameters` and `standard`:

    >>> class Exponential(Family):
    ...     num_parameters = 1
    ...     def standard(self, z):
    ...         return torch.distributions.Exponential(torch.nn.functional.softplus(z[..., 0]) + 1e-6)
    >>> Exponential()(torch.zeros(5, 1)).mean.shape
    torch.Size([5])

    z is in standardised units. `shift` and `scale` act on y: q is the distribution of shift + scale * y.
    """

    num_parameters: int
    """P, how many numbers z holds."""

    event_shape: torch.Size = torch.Size()
    """The shape of one y: () for a number or a class, (D,) for a vector."""

    default_measure: str = "variance"
    """What `decompose` uses unless told otherwise."""

    shift_invariant: bool = False
    """Whether z and z + t give the same q for every number t, as softmax logits do."""

    shift: Units = 0.0
    scale: Units = 1.0

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    @abstractmethod
    def standard(self, z: Tensor) -> Distribution:
        """q(y; z) in standardised units: batch z.shape[:-1], event `event_shape`."""

    def __call__(self, z: Float[Tensor, "*batch P"]) -> Distribution:
        """q(y; z) in the user's units."""
        check_parameters(z, self.num_parameters, self)
        return rescale(self.standard(z), self.shift, self.scale)

    def log_prob(self, z: Tensor, y: Tensor) -> Tensor:
        """log q(y; z) in standardised units, without a look at y: the inner loop of training."""
        return self.standard(z).log_prob(y)

    def in_units(self, shift: Units, scale: Units) -> Self:
        """The same family for targets that were standardised as (y - shift) / scale."""
        check_units(shift, scale, self.event_shape)
        other = copy.copy(self)
        object.__setattr__(other, "shift", shift)
        object.__setattr__(other, "scale", scale)
        return other

    def standardise(self, y: Tensor) -> Tensor:
        """(y - shift) / scale: targets in the units of z."""
        if self.shift == 0.0 and self.scale == 1.0:
            return y
        shift, scale = (torch.as_tensor(unit, dtype=y.dtype, device=y.device) for unit in (self.shift, self.scale))
        return (y - shift) / scale

    def mean(self, z: Tensor) -> Tensor:
        """E[y; z], of shape (*batch, *event); for classes the K probabilities."""
        return self(z).mean

    def variance(self, z: Tensor) -> Tensor:
        """Var[y; z], of the shape of the mean."""
        return self(z).variance

    def covariance(self, z: Tensor) -> Tensor:
        """Cov[y; z] of a vector y, (*batch, D, D); diagonal unless the family says otherwise."""
        if not self.event_shape:
            raise ValueError(f"Expected a family over vectors for a covariance, but y of {self} is a single value.")
        return torch.diag_embed(self.variance(z))

    def entropy(self, z: Tensor) -> Tensor:
        """The (differential) entropy H[q(.; z)] in nats, of shape (*batch,)."""
        return self(z).entropy()

    def pairwise_kl(self, z: Tensor, weights: Tensor) -> Tensor | None:
        """sum_ij w_i w_j KL(q_i || q_j) over atoms z (M, *batch, P) with weights (M,); None: no closed form."""
        return None

    def nodes(self, z: Tensor, weights: Tensor) -> Nodes:
        """Values of y that stand for the mixture sum_j w_j q(.; z_j), z of shape (M, *batch, P).

        An enumerable y is enumerated; a scalar y with known quantiles is put on a grid per component; anything
        else is drawn once with a fixed seed, the global generators being put back afterwards.
        """
        q = self(z)
        if q.has_enumerate_support and not self.event_shape:
            y = q.enumerate_support(expand=False)
            chances = torch.einsum("m,nm...->n...", weights, q.log_prob(y).exp())
            return Nodes(y.reshape(-1, *[1] * (z.ndim - 2)).expand(chances.shape), chances, "exact")
        line = component_lines(z)
        try:
            y = q.icdf(torch.special.ndtr(line.points))
            return component_nodes(y, line.weights, weights, "quadrature")
        except NotImplementedError:
            return self._drawn(q, weights)

    def _drawn(self, q: Distribution, weights: Tensor) -> Nodes:
        """The same number of draws from every component."""
        y = draw_fixed(q, max(NUM_DRAWS // q.batch_shape[0], 1))
        equal = weights.new_full((len(y), len(weights)), 1 / len(y))
        nodes = component_nodes(y, equal, weights, "sampled", event_dim=len(self.event_shape))
        if q.has_rsample:
            return nodes
        return nodes._replace(weights=nodes.weights * len(nodes.y) * score_weights(q, nodes.y, weights))

    def as_target(self, y: Any, batch: torch.Size, dtype: torch.dtype, *, samples: bool = False) -> Tensor:
        """y as `log_prob` wants it: checked for shape and support; integers become `dtype`."""
        check_target(y, batch, self.event_shape, samples=samples)
        target: Tensor = y if y.is_floating_point() else y.to(dtype)
        return target

    def canonical(self, outputs: Tensor, form: str = "parameters") -> Tensor:
        """A teacher's outputs as z of this family; `form` says what they are."""
        check_option("form", form, ["parameters"])
        check_parameters(outputs, self.num_parameters, self)
        return outputs


class Unitless(Family):
    """A family over labels or counts, whose y cannot be standardised."""

    def log_prob(self, z: Tensor, y: Tensor) -> Tensor:
        """log q(y; z) in standardised units, without a look at y: the inner loop of training."""
        return self.standard(z).log_prob(y)

    def in_units(self, shift: Units, scale: Units) -> Self:
        """Refuse anything but the identity."""
        if shift != 0.0 or scale != 1.0:
            raise ValueError(
                f"Expected no shift or scale for {self}: its y is a label or a count and stays as it is, "
                f"but got shift={shift}, scale={scale}. Pass y unscaled."
            )
        return self


def component_lines(z: Tensor) -> Points:
    """Standard normal points and weights (N, M, 1, ...) for each of the M components of z (M, *batch, P)."""
    M = z.shape[0]
    lines = phased_lines(max(25, 256 // M), M, 5.0, z.dtype, z.device)
    shape = (-1, M, *[1] * (z.ndim - 2))
    return Points(lines.points.reshape(shape), lines.weights.reshape(shape))


def component_nodes(y: Tensor, node_weights: Tensor, weights: Tensor, method: str, *, event_dim: int = 0) -> Nodes:
    """Nodes of a mixture from nodes y (N, M, *batch, *event), weighted (N, M, ...), of each of its M components."""
    y = y.flatten(0, 1)
    joint = node_weights.reshape(-1, len(weights)) * weights.to(node_weights.dtype)
    return Nodes(y, joint.reshape(-1, *[1] * (y.ndim - 1 - event_dim)), method)


def score_weights(q: Distribution, y: Tensor, weights: Tensor) -> Tensor:
    """Equal weights (N, *batch) for draws y of a mixture, with the gradient that a draw itself does not carry.

    d E_y f(y) = E_y [d f(y) + f(y) d log q~(y)]: the weights are 1 / N, and their gradient is that of log q~(y) / N.
    """
    log_w = log_weights(weights).reshape(-1, *[1] * len(q.batch_shape[1:]))
    log_mixture = torch.logsumexp(q.log_prob(y.unsqueeze(1)) + log_w, 1)
    return (log_mixture - log_mixture.detach()).exp() / len(y)


def check_support(y: Tensor, support: constraints.Constraint, expected: str) -> Tensor:
    """y, if all of it lies in the support."""
    if not bool(support.check(y).all()):
        raise ValueError(f"Expected `y` to hold {expected}, but got {describe(y)} with other values.")
    return y
