"""Networks that give an image and its mirror image the same answer."""

import copy
from typing import TypeVar

from endd.nn.densenet import DenseNet
from endd.nn.resnet import ResNet

NetworkT = TypeVar("NetworkT", ResNet, DenseNet)


def symmetric(network: NetworkT) -> NetworkT:
    """A copy of a ResNet or DenseNet that looks at every image and at its mirror image and gives the mean of both.

    It has the same parameters and does twice the work. One that learnt from images that were mirrored at random, as
    `flips_and_crops` does, need not learn anything more; one that is built so (`ResNet(20, 10, symmetric=True)`) learns
    with both. Where left and right matter, as they do in digits and letters, it is no use.

    >>> import torch
    >>> network = ResNet(8, 10, width=4).eval()
    >>> x = torch.rand(2, 3, 32, 32)
    >>> torch.allclose(symmetric(network)(x), (network(x) + network(x.flip(-1))) / 2, atol=1e-5)
    True
    """
    if type(network) not in (ResNet, DenseNet):
        known = "a ResNet or DenseNet of endd.nn to look at both sides of images"
        raise TypeError(f"Expected {known}, but got {type(network).__name__}.")
    copied = copy.deepcopy(network)
    copied.symmetric = True
    copied.architecture["symmetric"] = True
    return copied
