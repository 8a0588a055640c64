"""A single network that also says, for every input, how far its logits are to be trusted."""

from typing import Any

from torch import Tensor

from endd._elementary import softplus
from endd.distributions.form import Configured
from endd.distributions.point import Point

#: The least temperature that raw outputs can give.
MIN_TEMPERATURE = 0.05


class TemperedPoint(Point):
    """One atom z = logits / T with a temperature T(x) of the network's own, kept beside it.

    It has no density, and so no epistemic part; its temperature is a rival's measure of doubt.

    >>> import torch
    >>> TemperedPoint.from_raw(torch.zeros(4, 11)).temperature.shape
    torch.Size([4])
    """

    def __init__(self, z: Tensor, temperature: Tensor, validate_args: bool | None = None) -> None:
        super().__init__(z, validate_args=validate_args)
        self.temperature = temperature

    @classmethod
    def of(cls) -> Configured:
        """This distribution, for `Student(net, family, v=...)`."""
        return Configured(cls)

    @classmethod
    def raw_size(cls, P: int) -> int:
        """The logits and one number more."""
        return P + 1

    @classmethod
    def from_raw(cls, raw: Tensor) -> "TemperedPoint":
        """Logits, then T = softplus(raw) + MIN_TEMPERATURE."""
        logits, last = raw.split([raw.shape[-1] - 1, 1], -1)
        temperature = softplus(last) + MIN_TEMPERATURE
        return cls(logits / temperature, temperature.squeeze(-1), validate_args=False)

    def expand(self, batch_shape: Any, _instance: Any = None) -> "TemperedPoint":
        """The same atom over a larger batch."""
        return TemperedPoint(self.z.expand(*batch_shape, -1), self.temperature.expand(batch_shape))
