"""The 19 corruptions of CIFAR-10-C, one function each, by kind."""

from endd.data.corruptions.by_name import corrupt
from endd.data.corruptions.constants import CORRUPTIONS, SEVERITIES

__all__ = ["CORRUPTIONS", "SEVERITIES", "corrupt"]
