"""The continuous ranked probability score, CRPS(F, y) = int (F(t) - 1[y <= t])^2 dt: lower is better.

It is in the units of y and equals the absolute error where F is a point. With X, X' drawn from F,
CRPS = E|X - y| - 1/2 E|X - X'|; for normals E|N(m, s^2)| = A(m, s) = m erf(m / (s sqrt 2)) + 2 s phi(m / s).
References: Gneiting and Raftery (2007); Grimit et al. (2006) for the mixture.

>>> zero, one = torch.zeros(1), torch.ones(1)
>>> crps_normal(zero, one, zero)
tensor(0.2337)
>>> crps(Normal(zero, one), zero)
tensor(0.2337)
"""

import math
from typing import Any

import torch
from jaxtyping import Float, Real
from torch import Tensor
from torch.distributions import Distribution, Normal

from endd._checks import check_finite, check_target, describe
from endd.metrics._inputs import check_real, double_rows, normal_mixture, restore
from endd.metrics.scoring import reduced

LEVELS = 512
_CHUNK = 2**18  # entries of an intermediate tensor: 2 MiB, within reach of the cache
_TINY = 1e-100  # keeps m / s defined at s = 0, where A(m, 0) = |m|


def crps_normal(
    mean: Float[Tensor, "B"], std: Float[Tensor, "B"], y: Real[Tensor, "B"], reduction: str = "mean"
) -> Float[Tensor, "..."]:
    """CRPS of N(mean, std^2) at y: A(y - mean, std) - std / sqrt(pi). All (B,); std = 0 is a point."""
    m, s, target = double_rows(mean=mean, std=std, y=y)
    _check_moments(m, s, target)
    score = (_absolute_moment(target - m, s) - s / math.sqrt(math.pi)).clamp_min(0)
    return restore(reduced(score, reduction), mean, std, y)


def crps_mixture(
    weights: Float[Tensor, "*B C"],
    means: Float[Tensor, "B C"],
    stds: Float[Tensor, "B C"],
    y: Real[Tensor, "B"],
    reduction: str = "mean",
) -> Float[Tensor, "..."]:
    """CRPS of a mixture: sum_c w_c A(y - m_c, s_c) - 1/2 sum_cd w_c w_d A(m_c - m_d, sqrt(s_c^2 + s_d^2)).

    Shapes: means and stds (B, C), weights (B, C) or (C,), y (B,) -> () or, with reduction="none", (B,).
    """
    _check_mixture(weights, means, stds, y)
    w, m, s, target = (value.double() for value in (weights, means, stds, y))
    # Both terms grow with the distance of y: weights that miss 1 by a rounding error would not cancel.
    w = (w / w.sum(-1, keepdim=True)).expand_as(m)
    parts = zip(*(_pieces(value, m.shape[1] ** 2) for value in (w, m, s, target)), strict=True)
    score = torch.cat([_mixture_rows(*part) for part in parts]).clamp_min(0)
    return restore(reduced(score, reduction), means, stds, y)


def crps(distribution: Distribution, y: Real[Tensor, "B"], reduction: str = "mean") -> Float[Tensor, "..."]:
    """CRPS of any torch Distribution over a scalar y, batch (B,), at y (B,).

    Exact for Normal and for MixtureSameFamily of Normal. Otherwise twice the mean pinball loss of quantiles,
    since CRPS = 2 int (1[y <= F^-1(u)] - u)(F^-1(u) - y) du; the distribution must then offer icdf. There are
    512 levels u = s^2 (3 - 2 s) with s = (i - 1/2) / 512, denser in the tails, with weights du/ds.
    """
    if not isinstance(distribution, Distribution) or len(distribution.event_shape):
        raise TypeError(
            f"Expected a torch Distribution over a scalar y, but got {describe(distribution)}. "
            "Use the marginal of one output."
        )
    check_target(y, distribution.batch_shape)
    if isinstance(distribution, Normal):
        return crps_normal(distribution.loc, distribution.scale, y, reduction)
    mixture = normal_mixture(distribution)
    if mixture is not None:
        return crps_mixture(*mixture, y, reduction)
    (target,) = double_rows(y=y)
    check_finite("`y`", target, "Drop these rows.")
    return restore(reduced(_quantile_score(distribution, target), reduction), y)


def _absolute_moment(mean: Tensor, std: Tensor) -> Tensor:
    ratio = mean / std.clamp_min(_TINY)
    density = (-0.5 * ratio.square()).exp() / math.sqrt(2 * math.pi)
    return mean * torch.erf(ratio / math.sqrt(2)) + 2 * std * density


def _mixture_rows(weights: Tensor, means: Tensor, stds: Tensor, y: Tensor) -> Tensor:
    to_target = (weights * _absolute_moment(y[:, None] - means, stds)).sum(-1)
    gap = means[:, :, None] - means[:, None, :]
    spread = torch.hypot(stds[:, :, None], stds[:, None, :])
    within = torch.einsum("bc,bcd,bd->b", weights, _absolute_moment(gap, spread), weights)
    return to_target - within / 2


def _quantile_score(distribution: Distribution, y: Tensor) -> Tensor:
    s = (torch.arange(LEVELS, dtype=torch.float64, device=y.device)[:, None] + 0.5) / LEVELS
    weights = s * (1 - s) / (s * (1 - s)).sum()
    total = torch.zeros_like(y)
    for level, w in zip(*(_pieces(v, len(y)) for v in (s**2 * (3 - 2 * s), weights)), strict=True):
        u = level.expand(-1, len(y))
        try:
            gap = y - distribution.icdf(u)
        except NotImplementedError:
            kind = type(distribution).__name__
            raise TypeError(f"Expected a distribution with icdf, but got {kind}. Give it quantiles.") from None
        total = total + (w * torch.maximum(u * gap, (u - 1) * gap)).sum(0)
    return 2 * total


def _pieces(values: Tensor, width: int) -> tuple[Tensor, ...]:
    return torch.split(values, max(1, _CHUNK // width))


def _check_moments(means: Tensor, stds: Tensor, y: Tensor) -> None:
    for name, value in {"means": means, "standard deviations": stds, "`y`": y}.items():
        check_finite(name, value, "Drop these rows.")
    if bool((stds < 0).any()):
        raise ValueError(
            f"Expected standard deviations from 0, but got {float(stds.min()):.4g}. Give std, not log std."
        )


def _check_mixture(weights: Any, means: Any, stds: Any, y: Any) -> None:
    for name, value in {"weights": weights, "means": means, "stds": stds, "y": y}.items():
        check_real(name, value)
    fits = means.ndim == 2 and stds.shape == means.shape and weights.shape in (means.shape, means.shape[1:])
    if not fits:
        raise ValueError(
            "Expected `means` and `stds` of shape (B, C) and `weights` of shape (B, C) or (C,), but got "
            f"{tuple(means.shape)}, {tuple(stds.shape)} and {tuple(weights.shape)}. Put the components last."
        )
    check_target(y, means.shape[:1])
    _check_moments(means, stds, y)
    if bool((weights < 0).any()) or not bool(((weights.double().sum(-1) - 1).abs() <= 1e-3).all()):
        raise ValueError("Expected `weights` from 0 that sum to 1, but they do not. Use weights.softmax(-1).")
