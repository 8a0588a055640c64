"""Plain networks to start from; any torch.nn.Module works as well."""

from endd.nn.densenet import DenseNet
from endd.nn.joining import join
from endd.nn.mlp import MLP
from endd.nn.resnet import ResNet
from endd.nn.symmetry import symmetric
from endd.nn.variational import Variational

__all__ = ["MLP", "DenseNet", "ResNet", "Variational", "join", "symmetric"]
