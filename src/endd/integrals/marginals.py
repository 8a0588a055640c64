"""The marginal predictive q~(y): a torch Distribution that refuses a target of the wrong shape."""

import torch
from torch import Tensor
from torch.distributions import Bernoulli, Categorical, Distribution, MixtureSameFamily, MultivariateNormal, Normal

from endd._elementary import exporting, weigh
from endd._transforms import log_weights, wide_dtype
from endd.families import Family
from endd.integrals.quantiles import normal_mixture_quantile

# Newton steps kept inside a bracket, every third of them a bisection, so that the bracket shrinks whatever the shape
# of the density; near the root Newton converges quadratically.
ICDF_STEPS = 90


class Marginal(Distribution):
    """Carries the family, which checks targets, and `method`, which says how the marginal was obtained."""

    family: Family
    method: str
    dtype: torch.dtype

    def log_prob(self, value: Tensor) -> Tensor:
        """log q~(y) for y of shape (*batch, *event), with sample dimensions in front if any."""
        return self.log_density(self.family.as_target(value, self.batch_shape, self.dtype, samples=True))

    def log_density(self, y: Tensor) -> Tensor:
        """log q~(y) for a y that is known to be right, without looking at its values."""
        return super().log_prob(y)


class CategoricalMarginal(Marginal, Categorical):
    """A mixture of class distributions is one itself."""

    def __init__(self, family: Family, log_probs: Tensor, method: str) -> None:
        self.family, self.method, self.dtype = family, method, log_probs.dtype
        super().__init__(logits=log_probs, validate_args=False)


class BernoulliMarginal(Marginal, Bernoulli):
    """A mixture of coin tosses is one itself."""

    def __init__(self, family: Family, logits: Tensor, method: str) -> None:
        self.family, self.method, self.dtype = family, method, logits.dtype
        super().__init__(logits=logits, validate_args=False)


class Mixture(Marginal, MixtureSameFamily):
    """sum_c w_c q_c(y): weights (C,) and components with batch (*batch, C)."""

    def __init__(self, family: Family, weights: Tensor, components: Distribution, method: str) -> None:
        self.family, self.method, self.dtype, self.weights = family, method, weights.dtype, weights
        # as logits: torch lifts small probabilities to the rounding unit, and a wrong weight is a wrong tail
        mixing = Categorical(logits=log_weights(weights), validate_args=False)
        # normalised before they are expanded: once, and not for every row
        super().__init__(mixing.expand(components.batch_shape[:-1]), components, validate_args=False)

    def cdf(self, value: Tensor) -> Tensor:
        """P(Y <= y), for a number y."""
        below: Tensor = self.component_distribution.cdf(value.unsqueeze(-1))
        return weigh(below, self.weights.to(below.dtype))

    def icdf(self, value: Tensor) -> Tensor:
        """The quantile: where the cdf reaches `value`, a tensor that broadcasts against the batch."""
        if self.event_shape:
            raise NotImplementedError("Quantiles are defined for a number y, but this y is a vector.")
        out = self.weights.dtype
        level = torch.as_tensor(value).to(self.weights.device)
        if not exporting() and bool(((level < 0) | (level > 1)).any()):
            raise ValueError("Expected quantile levels from 0 to 1, but got others.")
        level = level.expand(torch.broadcast_shapes(level.shape, self.batch_shape))
        if not exporting() and not level.numel():
            return level.to(out)
        if getattr(self.component_distribution.support, "is_discrete", False):
            return self._count_quantile(level).to(out)
        components = self.component_distribution
        if isinstance(components, Normal):
            return normal_mixture_quantile(level, self.weights, components.loc, components.scale)
        try:
            quantiles = components.icdf(level.to(out).unsqueeze(-1))
        except NotImplementedError:
            kind = type(components).__name__
            raise NotImplementedError(f"torch's {kind} knows no quantiles (icdf). Use sample() instead.") from None
        return self._root(level, quantiles.amin(-1), quantiles.amax(-1))

    def entries(self) -> "Mixture":
        """The marginal of each entry of a vector y by itself, with batch (*batch, D)."""
        normals = self.component_distribution
        if not isinstance(normals, MultivariateNormal):
            raise NotImplementedError(
                f"Expected normals over vectors for intervals of their entries, but got {self.family}."
            )
        loc, scale = normals.loc.mT, normals.variance.sqrt().mT
        return Mixture(self.family, self.weights, Normal(loc, scale, validate_args=False), self.method)

    def _root(self, level: Tensor, low: Tensor, high: Tensor) -> Tensor:
        """Safeguarded Newton on cdf(y) = level between the components' extreme quantiles."""
        out, wide = low.dtype, wide_dtype(low)
        level, low, high = level.to(wide), low.to(wide), high.to(wide)
        y = (low + high) / 2
        for number in range(ICDF_STEPS):
            excess = self.cdf(y) - level
            low, high = torch.where(excess < 0, y, low), torch.where(excess < 0, high, y)
            step = y - excess / self.log_density(y).exp()
            inside = (step > low) & (step < high) & (number % 3 != 2)
            moved = torch.where(inside, step, (low + high) / 2)
            if torch.equal(moved, y):
                break
            y = moved
        # at level 0 and 1 the bracket is infinite and stays so
        return torch.where(low.isinf() | high.isinf(), torch.where(level < 0.5, low, high), y).to(out)

    def _count_quantile(self, level: Tensor) -> Tensor:
        """The smallest count whose cdf reaches `level`, by bisection."""
        top = self.component_distribution.mean.amax(-1)
        low = torch.full_like(level, -1.0)
        high = (top + 40 * top.sqrt() + 100).expand_as(level).ceil()
        for _ in range(int(torch.log2(high.max()).ceil()) + 2):
            middle = ((low + high) / 2).floor()
            reached = self.cdf(middle) >= level
            low, high = torch.where(reached, low, middle), torch.where(reached, middle, high)
        return torch.where(level == 1, torch.inf, high.clamp(min=0))
