"""Networks whose weights are uncertain: a normal for each weight, trained with Flipout noise (Wen et al. 2018)."""

import copy
import math
from abc import ABC, abstractmethod
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import conv2d, linear, softplus

from endd._checks import check_positive
from endd._transforms import softplus_inverse

# The least scale that a weight may start with.
MIN_START = 1e-3


class MeanField(nn.Module, ABC):
    """A layer with weights w ~ N(weight, scale^2), independent, scale = softplus(raw_scale); its bias is certain.

    In training, row b of the input gets a weight of its own at the price of one draw e ~ N(0, 1) for the whole batch,

        w_b = weight + scale * e * t_b s_b',

    with random signs s_b of its inputs and t_b of its outputs: noise with the right distribution for every row, and
    next to no correlation between rows. In eval mode the weights are their means.

    layer: whose weights are taken over as means. prior_scale: of the prior N(0, prior_scale^2); None: the one that
    suits the layer's weights best. start: the scale of the noise at first, as a part of the spread of the weights.
    """

    #: How many of the last dimensions share a sign.
    alike: int

    def __init__(self, layer: nn.Linear | nn.Conv2d, prior_scale: float | None, start: float) -> None:
        super().__init__()
        self.weight, self.bias, self.prior_scale = layer.weight, layer.bias, prior_scale
        spread = (start * self.weight.detach().std(correction=0)).clamp(min=MIN_START)
        self.raw_scale = nn.Parameter(softplus_inverse(spread).expand_as(self.weight).clone())

    @abstractmethod
    def run(self, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        """The layer with given weights."""

    @property
    def scale(self) -> Tensor:
        """The standard deviation of every weight."""
        return softplus(self.raw_scale)

    def divergence(self) -> Tensor:
        """KL(N(weight, scale^2) || prior) = sum of log(prior / scale) + (scale^2 + weight^2) / (2 prior^2) - 1/2.

        At the best prior, prior^2 = mean of scale^2 + weight^2, the last two terms cancel.
        """
        scale = self.scale
        square = scale.square() + self.weight.square()
        if self.prior_scale is None:
            return (square.mean().log() / 2 - scale.log()).sum()
        return (math.log(self.prior_scale) - scale.log() + square / (2 * self.prior_scale**2) - 0.5).sum()

    def forward(self, x: Tensor) -> Tensor:
        """What the plain layer does, and noise in training."""
        out = self.run(x, self.weight, self.bias)
        if not self.training:
            return out
        noise = self.scale * torch.randn_like(self.weight)
        return out + signs(out, self.alike) * self.run(x * signs(x, self.alike), noise, None)


class VariationalLinear(MeanField):
    """A linear layer with uncertain weights."""

    alike = 0

    def run(self, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        """x w' + bias."""
        return linear(x, weight, bias)


class VariationalConv2d(MeanField):
    """A convolution with uncertain weights; all places of an image share its signs."""

    alike = 2

    def __init__(self, layer: nn.Conv2d, prior_scale: float | None, start: float) -> None:
        super().__init__(layer, prior_scale, start)
        if layer.padding_mode != "zeros":
            raise ValueError(f"Expected convolutions that pad with zeros, but got padding_mode={layer.padding_mode!r}.")
        self.stride, self.padding, self.dilation, self.groups = (
            layer.stride,
            layer.padding,
            layer.dilation,
            layer.groups,
        )

    def run(self, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        """The convolution of x with the weight."""
        return conv2d(x, weight, bias, self.stride, self.padding, self.dilation, self.groups)


def signs(like: Tensor, alike: int) -> Tensor:
    """Random signs for a tensor, with the last dimensions alike."""
    shape = (*like.shape[: like.ndim - alike], *[1] * alike)
    return torch.randint(0, 2, shape, device=like.device).to(like.dtype) * 2 - 1


class Variational(nn.Module):
    """A copy of a network in which the weights of all linear layers and convolutions are uncertain.

    Batch norms and biases stay certain. In training every forward pass draws noise; in eval mode it is the network of
    the means. `divergence` is the KL to the prior, to be added to the loss per example as KL / N (Graves 2011).

    last_only: only the last such layer (last-layer SVI). prior_scale, start: see `MeanField`.

    Ovadia et al. 2019 have uncertain weights in the second convolution of each block and in the head, SELU and no
    batch norm, and a prior whose scale is learnt; here all convolutions are uncertain and batch norms stay.

    >>> from endd.nn import MLP
    >>> net = Variational(MLP(3, [50], 2))
    >>> net(torch.randn(8, 3)).shape, net.divergence() > 0
    (torch.Size([8, 2]), tensor(True))
    """

    def __init__(
        self, net: nn.Module, *, last_only: bool = False, prior_scale: float | None = None, start: float = 0.1
    ) -> None:
        super().__init__()
        check_positive("start", start)
        if prior_scale is not None:
            check_positive("prior_scale", prior_scale)
        #: What it takes to make a network uncertain in the same way.
        self.settings = {"last_only": last_only, "prior_scale": prior_scale, "start": start}
        self.net = copy.deepcopy(net)
        names = [name for name, part in self.net.named_modules() if name and type(part) in (nn.Linear, nn.Conv2d)]
        if not names:
            raise ValueError("Expected a network with linear layers or convolutions inside, but got none.")
        for name in names[-1:] if last_only else names:
            layer = self.net.get_submodule(name)
            kind: Any = VariationalLinear if isinstance(layer, nn.Linear) else VariationalConv2d
            self.net.set_submodule(name, kind(layer, prior_scale, start))

    def uncertain(self) -> dict[str, MeanField]:
        """The layers with uncertain weights, by name."""
        return {name: part for name, part in self.named_modules() if isinstance(part, MeanField)}

    def divergence(self) -> Tensor:
        """KL from the weights' distribution to the prior, summed over all uncertain weights."""
        return torch.stack([layer.divergence() for layer in self.uncertain().values()]).sum()

    def forward(self, *arguments: Tensor, **named: Tensor) -> Tensor:
        """What the network does, with noise in training."""
        out: Tensor = self.net(*arguments, **named)
        return out
