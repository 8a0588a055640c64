"""Data sets: arrays in, arrays out."""

from endd.data.examples import Examples, Split, make_split
from endd.data.toy import toy_examples, toy_mean, toy_variance
from endd.data.uci import Table, load_uci, uci_splits

__all__ = [
    "Examples",
    "Split",
    "Table",
    "load_uci",
    "make_split",
    "toy_examples",
    "toy_mean",
    "toy_variance",
    "uci_splits",
]
