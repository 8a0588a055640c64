"""Vector regression: y ~ N(mean, covariance) with both predicted."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.distributions import MultivariateNormal

from endd._checks import check_positive
from endd._points import sobol_normal
from endd._transforms import deviations, tril_from_raw, tril_size, wide_dtype
from endd.families.base import Family, Nodes, component_nodes
from endd.families.units import Units

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
        """Mean KL over all pairs of atoms, as sums of squares.

        With A = E[S^-1] = R R' and X_j = R' L_j, the covariances give 1/2 E_j |X_j - X_j^-T|^2 and the means
        1/2 E_j [ |L_j^-1 (m_j - mbar)|^2 + E_i |L_j^-1 (m_i - mbar)|^2 ].
        """
        wide = wide_dtype(z)
        q, weights = self.standard(z.to(wide)), weights.to(wide)
        L, w = q.scale_tril, weights.reshape(-1, *[1] * (z.ndim - 2))
        eye = torch.eye(self.dimension, dtype=wide, device=z.device).expand_as(L)
        inverse = torch.linalg.solve_triangular(L, eye, upper=False)
        precision = (w[..., None, None] * (inverse.mT @ inverse)).sum(0)
        R = torch.linalg.cholesky(precision)
        X = R.mT @ L
        X_inverse = torch.linalg.solve_triangular(R, inverse.mT, upper=False)
        covariances: Tensor = (w * (X - X_inverse).square().sum((-2, -1))).sum(0)
        centred = deviations(q.loc, weights)
        # (i, j): member i's mean seen in member j's metric
        seen = torch.einsum("j...de,i...e->ij...d", inverse, centred).square().sum(-1)
        own = torch.diagonal(seen, dim1=0, dim2=1)
        means: Tensor = (own * weights).sum(-1) + torch.einsum("i,j,ij...->...", weights, weights, seen)
        return ((covariances + means) / 2).to(z.dtype)

    def nodes(self, z: Tensor, weights: Tensor) -> Nodes:
        """Sobol points pushed through each component."""
        q = self(z)
        assert isinstance(q, MultivariateNormal)
        count = max(NODES_PER_MIXTURE // z.shape[0], 8)
        points = sobol_normal(count, self.dimension, z.dtype, z.device)
        noise = points.reshape(count, *[1] * (z.ndim - 1), self.dimension)
        y = q.loc + (q.scale_tril @ noise.unsqueeze(-1)).squeeze(-1)
        equal = z.new_full((count,), 1 / count)
        return component_nodes(y, equal, weights, "qmc", event_dim=1)
