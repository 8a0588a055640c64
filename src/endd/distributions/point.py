"""A single network: one atom."""

from typing import Any

from torch import Tensor

from endd._checks import check_floating, describe
from endd.distributions.atoms import Atoms
from endd.distributions.form import Configured
from endd.distributions.normal import describe_distribution


class Point(Atoms):
    """One atom z of shape (*batch, P): a single network, or a mixture-distilled student.

    >>> import torch
    >>> Point(torch.zeros(32, 2)).variance.sum()
    tensor(0.)
    """

    def __init__(self, z: Tensor, validate_args: bool | None = None) -> None:
        check_floating("z", z)
        if z.ndim < 1:
            raise ValueError(f"Expected `z` of shape (..., P), but got {describe(z)}.")
        self.z = z
        super().__init__(z.shape[:-1], z.shape[-1:], validate_args=validate_args)

    @classmethod
    def of(cls) -> Configured:
        """This distribution, for `Student(net, family, v=...)`."""
        return Configured(cls)

    @classmethod
    def raw_size(cls, P: int) -> int:
        """P."""
        return P

    @classmethod
    def from_raw(cls, raw: Tensor) -> "Point":
        """The raw numbers are z."""
        return cls(raw, validate_args=False)

    @property
    def atoms(self) -> Tensor:
        """z, with M = 1 in front."""
        return self.z.unsqueeze(0)

    @property
    def weights(self) -> Tensor:
        """A single 1."""
        return self.z.new_ones(1)

    def expand(self, batch_shape: Any, _instance: Any = None) -> "Point":
        """The same atom over a larger batch."""
        return Point(self.z.expand(*batch_shape, -1))

    def __repr__(self) -> str:
        return describe_distribution(self)
