"""The 19 corruptions of CIFAR-10-C, one function each, by kind; and what is made of the test images, on disk."""

from endd.data.corruptions.by_name import corrupt
from endd.data.corruptions.constants import CORRUPTIONS, SEVERITIES
from endd.data.corruptions.files import corrupted, not_there

__all__ = ["CORRUPTIONS", "SEVERITIES", "corrupt", "corrupted", "not_there"]
