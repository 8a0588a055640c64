"""A plain multi-layer perceptron."""

from collections.abc import Sequence
from itertools import pairwise

from torch import Tensor, nn

from endd._checks import check_option

ACTIVATIONS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "tanh": nn.Tanh, "silu": nn.SiLU, "gelu": nn.GELU}


class MLP(nn.Module):
    """inputs -> hidden layers -> outputs, an activation after each hidden layer.

    >>> import torch
    >>> MLP(3, [50], 2)(torch.zeros(4, 3)).shape
    torch.Size([4, 2])
    """

    def __init__(self, inputs: int, hidden: Sequence[int], outputs: int, activation: str = "relu") -> None:
        super().__init__()
        check_option("activation", activation, ACTIVATIONS)
        widths = [inputs, *hidden]
        layers: list[nn.Module] = []
        for before, after in pairwise(widths):
            layers += [nn.Linear(before, after), ACTIVATIONS[activation]()]
        self.layers = nn.Sequential(*layers, nn.Linear(widths[-1], outputs))

    def forward(self, x: Tensor) -> Tensor:
        """(B, inputs) -> (B, outputs)."""
        out: Tensor = self.layers(x)
        return out
