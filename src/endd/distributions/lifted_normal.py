"""Independent normals as in Lindqvist et al. 2020: each variance is lifted by a positive number of its own."""

from typing import Any

from torch import Tensor

from endd._elementary import softplus
from endd.distributions.diagonal_normal import DiagonalNormal
from endd.distributions.form import split_raw
from endd.distributions.normal import MIN_SCALE


class LiftedNormal(DiagonalNormal):
    """A DiagonalNormal whose raw numbers are loc, r and c: variance = softplus(r) + softplus(c) + min_scale^2.

    The paper has the network put out the c beside the r, so that a variance far from 0 does not hang on one number.

    >>> import torch
    >>> LiftedNormal.from_raw(torch.zeros(4, 27))
    LiftedNormal(batch=(4,), P=9)
    """

    @classmethod
    def raw_size(cls, P: int, **_: Any) -> int:
        """Three numbers a parameter."""
        return 3 * P

    @classmethod
    def from_raw(cls, raw: Tensor, *, min_scale: float = MIN_SCALE) -> "LiftedNormal":
        """loc, then r, then c."""
        loc, r, c = raw.split(split_raw(raw, 3, cls.__name__), -1)
        return cls(loc, (softplus(r) + softplus(c) + min_scale**2).sqrt(), validate_args=False)
