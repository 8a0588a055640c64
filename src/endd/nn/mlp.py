"""A plain multi-layer perceptron."""

import math
from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn.utils import skip_init

from endd._checks import check_option


class KinkedAndSmooth(nn.Module):
    """ReLU on the first half of the units, GELU on the rest.

    What ReLU members say together is smooth where their kinks are many and bent where they agree; a student of few
    units follows both with units of both kinds.
    """

    def forward(self, x: Tensor) -> Tensor:
        """(..., H) -> (..., H)."""
        half = x.shape[-1] // 2
        return torch.cat([nn.functional.relu(x[..., :half]), nn.functional.gelu(x[..., half:])], -1)


ACTIVATIONS: dict[str, type[nn.Module]] = {
    "relu": nn.ReLU,
    "tanh": nn.Tanh,
    "silu": nn.SiLU,
    "gelu": nn.GELU,
    "relu_gelu": KinkedAndSmooth,
}


class MLP(nn.Module):
    """inputs -> hidden layers -> outputs, an activation after each hidden layer.

    generator: where the initial weights are drawn from, by torch's own rule; the global generator by default.

    >>> import torch
    >>> MLP(3, [50], 2)(torch.zeros(4, 3)).shape
    torch.Size([4, 2])
    """

    def __init__(
        self,
        inputs: int,
        hidden: Sequence[int],
        outputs: int,
        activation: str = "relu",
        *,
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        check_option("activation", activation, ACTIVATIONS)
        widths = [inputs, *hidden]
        #: What it takes to build the same network again, with other weights.
        self.architecture = {
            "inputs": inputs,
            "hidden": [int(width) for width in hidden],
            "outputs": outputs,
            "activation": activation,
        }
        layers: list[nn.Module] = []
        for before, after in pairwise(widths):
            layers += [_linear(before, after, generator), ACTIVATIONS[activation]()]
        self.layers = nn.Sequential(*layers, _linear(widths[-1], outputs, generator))

    def forward(self, x: Tensor) -> Tensor:
        """(B, inputs) -> (B, outputs)."""
        out: Tensor = self.layers(x)
        return out


def _linear(inputs: int, outputs: int, generator: torch.Generator | None) -> nn.Linear:
    """A layer with weights and biases from U(-b, b), b = 1 / sqrt(inputs), as torch draws them."""
    if generator is None:
        return nn.Linear(inputs, outputs)
    layer: nn.Linear = skip_init(nn.Linear, inputs, outputs)
    bound = 1 / math.sqrt(inputs) if inputs else 0.0
    for parameter in layer.parameters():
        nn.init.uniform_(parameter, -bound, bound, generator=generator)
    return layer
