"""Batch norms of networks that no longer learn as a part of the convolutions before them: the same answers, sooner."""

import copy
from typing import Any, TypeVar

from torch import nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

from endd.nn.densenet import DenseLayer
from endd.nn.resnet import Block, ResNet

ModuleT = TypeVar("ModuleT", bound=nn.Module)

#: Where a convolution is followed by its norm at once: the names of both.
PAIRS: dict[type[nn.Module], tuple[tuple[str, str], ...]] = {
    ResNet: (("stem", "norm"),),
    Block: (("conv1", "norm1"), ("conv2", "norm2")),
    DenseLayer: (("conv1", "norm2"),),
}


def folded(model: ModuleT) -> ModuleT:
    """A copy of a model in eval mode whose networks of endd.nn have their batch norms in their convolutions.

    A norm is then a fixed line in each channel, which scales and shifts what the convolution gives. The copy is for
    asking alone: it does not follow the model when that learns on.
    """
    copied = copy.deepcopy(model).eval()
    for part in copied.modules():
        for pair in PAIRS.get(type(part), ()):
            convolution, norm = (getattr(part, name) for name in pair)
            if type(convolution) is nn.Conv2d and type(norm) is nn.BatchNorm2d:  # uncertain ones stay as they are
                _fold(part, *pair)
    return copied


def _fold(part: Any, convolution: str, norm: str) -> None:
    setattr(part, convolution, fuse_conv_bn_eval(getattr(part, convolution), getattr(part, norm)))
    setattr(part, norm, nn.Identity())
