"""Vector regression: y ~ N(mean, covariance) with both predicted."""

from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor
from torch.distributions import MultivariateNormal

from endd._checks import check_positive
from endd._points import sobol_normal
from endd._transforms import deviations, tril_from_raw, tril_size, wide_dtype
from endd.families.base import Family, Nodes, component_nodes
from endd.families.units import Units, check_units

NODES_PER_MIXTURE = 1024


@dataclass(frozen=True)
class MultivariateGaussian(Family):
    """q(y; z) = N(y; m, L L') for y of D numbers; z holds m (D) and L (D (D + 1) / 2).

    L's diagonal is softplus(raw) + min_scale and stands first, the rest follows row by row.

    >>> MultivariateGaussian(2)(torch.zeros(3, 5)).covariance_matrix.shape
    torch.Size([3, 2, 2])
    """

    dimension: int
    min_scale: float = 1e-3
    shift: Units = 0.0
    scale: Units = 1.0

    def __post_init__(self) -> None:
        if self.dimension < 1:
            raise ValueError(f"Expected `dimension` of at least 1, but got {self.dimension}.")
        check_positive("min_scale", self.min_scale)
        check_units(self.shift, self.scale, self.event_shape)

    @property
    def num_parameters(self) -> int:  # type: ignore[override]
        """D + D (D + 1) / 2."""
        return self.dimension + tril_size(self.dimension)

    @property
    def event_shape(self) -> torch.Size:  # type: ignore[override]
        """(D,)."""
        return torch.Size([self.dimension])

    def standard(self, z: Tensor) -> MultivariateNormal:
        """The normal in standardised units."""
        D = self.dimension
        scale_tril = tril_from_raw(z[..., D:], D, self.min_scale)
        return MultivariateNormal(z[..., :D], scale_tril=scale_tril, validate_args=False)

    def covariance(self, z: Tensor) -> Tensor:
        """L L' in the user's units."""
        scale_tril = self(z).scale_tril  # type: ignore[attr-defined]
        return scale_tril @ scale_tril.mT  # type: ignore[no-any-return]

    def pairwise_kl(self, z: Tensor, weights: Tensor) -> Tensor:
        """Mean KL over all pairs of atoms, as sums of squares. No unit of y enters."""
        wide = wide_dtype(z)
        q = self.standard(z.to(wide))
        offsets = deviations(q.loc, weights.to(wide))
        spread = torch.zeros_like(q.scale_tril[0])
        return multivariate_pairwise_kl(offsets, q.scale_tril, weights.to(wide), spread).to(z.dtype)

    def nodes(self, z: Tensor, weights: Tensor) -> Nodes:
        """Sobol points pushed through each component."""
        q = self(z)
        assert isinstance(q, MultivariateNormal)
        count = max(NODES_PER_MIXTURE // z.shape[0], 8)
        points = sobol_normal(count, self.dimension, z.dtype, z.device)
        noise = points.reshape(count, *[1] * (z.ndim - 1), self.dimension)
        y = q.loc + (q.scale_tril @ noise.unsqueeze(-1)).squeeze(-1)
        equal = z.new_full((count, z.shape[0]), 1 / count)
        return component_nodes(y, equal, weights, "qmc", event_dim=1)


def multivariate_pairwise_kl(offsets: Tensor, L: Tensor, weights: Tensor, spread: Tensor) -> Tensor:
    """Mean pairwise KL of normals with means m + offsets (M, *batch, D) and covariances L L', (M, *batch, D, D).

    spread G (*batch, D, n) is a factor of a further covariance G G' of every mean, as if it were itself uncertain.
    With A = E[(L L')^-1] = R R' and X_j = R' L_j, the covariances give 1/2 E_j |X_j - X_j^-T|^2; of the means there is
    1/2 E_j |L_j^-1 (d_j, G)|^2 from their own spread and 1/2 E_i |R' (d_i, G)|^2 from that of the other.
    """
    D = L.shape[-1]
    average = partial(torch.einsum, "m,m...->...", weights)
    eye = torch.eye(D, dtype=L.dtype, device=L.device).expand_as(L)
    inverse = torch.linalg.solve_triangular(L, eye, upper=False)
    # R' from a QR of the stacked inverses: forming A first would square its condition
    stacked = (weights.sqrt().reshape(-1, *[1] * (L.ndim - 1)) * inverse).movedim(0, -3).flatten(-3, -2)
    upper = torch.linalg.qr(stacked).R
    X = upper @ L
    X_inverse = torch.linalg.solve_triangular(upper.mT, inverse.mT, upper=False)
    moved = torch.cat([offsets.unsqueeze(-1), spread.expand(*L.shape[:-1], -1)], -1)
    total: Tensor = average((X - X_inverse).square().sum((-2, -1)))
    total = total + average((inverse @ moved).square().sum((-2, -1)))
    return (total + average((upper @ moved).square().sum((-2, -1)))) / 2
