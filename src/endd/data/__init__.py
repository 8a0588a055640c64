"""Data sets: arrays in, arrays out."""

from endd.data.cifar10 import Images, load_cifar10
from endd.data.examples import Examples, Split, make_split
from endd.data.frost import load_frost
from endd.data.svhn import load_svhn
from endd.data.toy import toy_examples, toy_mean, toy_variance
from endd.data.uci import Table, load_uci, uci_splits

__all__ = [
    "Examples",
    "Images",
    "Split",
    "Table",
    "load_cifar10",
    "load_frost",
    "load_svhn",
    "load_uci",
    "make_split",
    "toy_examples",
    "toy_mean",
    "toy_variance",
    "uci_splits",
]
