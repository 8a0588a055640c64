"""The members of an ensemble."""

from typing import Any

import torch
from torch import Tensor

from endd._checks import check_floating, describe
from endd._elementary import exporting
from endd.distributions.atoms import Atoms
from endd.distributions.form import Configured, split_raw
from endd.distributions.normal import describe_distribution


class Members(Atoms):
    """M atoms z of shape (M, *batch, P), equal or with weights (M,).

    As the v of a student it is one network with M heads (Hydra): `Members.of(size=M)`.

    >>> Members(torch.randn(10, 32, 2))
    Members(batch=(32,), P=2, M=10)
    >>> Members.of(size=10).from_raw(torch.randn(32, 20))
    Members(batch=(32,), P=2, M=10)
    """

    def __init__(self, z: Tensor, weights: Tensor | None = None, validate_args: bool | None = None) -> None:
        check_floating("z", z)
        if z.ndim < 2 or z.shape[0] == 0:
            raise ValueError(
                f"Expected `z` of shape (M, ..., P) with at least one member, but got {describe(z)}. "
                "For a single network use endd.Point(z)."
            )
        self._atoms = z
        M = z.shape[0]
        self._has_zero = False
        if weights is None:
            weights = z.new_full((M,), 1 / M)
        elif validate_args is not False:
            weights = _check_weights(torch.as_tensor(weights), M)
            self._has_zero = not exporting() and bool((weights == 0).any())
        self._weights = weights.to(z)
        super().__init__(z.shape[1:-1], z.shape[-1:], validate_args=validate_args)

    @classmethod
    def of(cls, *, size: int, **options: Any) -> Configured:
        """This distribution with `size` atoms, for `Student(net, family, v=...)`."""
        if size < 1:
            raise ValueError(f"Expected `size` of at least 1, but got {size}.")
        return Configured(cls, {"size": size, **options})

    @classmethod
    def raw_size(cls, P: int, *, size: int | None = None) -> int:
        """P numbers an atom."""
        return P * _known(size)

    @classmethod
    def from_raw(cls, raw: Tensor, *, size: int | None = None) -> "Members":
        """The raw numbers are the atoms, one after another."""
        split_raw(raw, _known(size), "set of members")
        return cls(raw.unflatten(-1, (_known(size), -1)).movedim(-2, 0), validate_args=False)

    @property
    def atoms(self) -> Tensor:
        """z, (M, *batch, P)."""
        return self._atoms

    @property
    def weights(self) -> Tensor:
        """(M,), summing to 1."""
        return self._weights

    def without_zero_weights(self) -> "Members":
        """Those atoms that count: an infinite one with weight 0 would still turn a sum into NaN."""
        if not self._has_zero:
            return self
        count = self._weights > 0
        return Members(self._atoms[count], self._weights[count], validate_args=False)

    def expand(self, batch_shape: Any, _instance: Any = None) -> "Members":
        """The same atoms over a larger batch."""
        batch = torch.Size(batch_shape)
        padding = [1] * (len(batch) - len(self.batch_shape))
        z = self._atoms.reshape(self._atoms.shape[0], *padding, *self._atoms.shape[1:])
        return Members(z.expand(-1, *batch, -1), self._weights, validate_args=False)

    def __repr__(self) -> str:
        return describe_distribution(self, M=self._atoms.shape[0])


def _known(size: int | None) -> int:
    if size is None:
        raise TypeError("Expected the number of members a student speaks for. Use v=endd.Members.of(size=M).")
    return size


def _check_weights(weights: Tensor, M: int) -> Tensor:
    if exporting():  # an export calls the model first, and there they are looked at
        return weights / weights.sum()
    if weights.shape != (M,) or not bool((weights >= 0).all()) or not abs(float(weights.sum()) - 1) <= 1e-4:
        raise ValueError(
            f"Expected {M} `weights` that are at least 0 and sum to 1, but got {describe(weights)} with sum "
            f"{float(weights.sum()):.6g}. Divide them by their sum."
        )
    return weights / weights.sum()
