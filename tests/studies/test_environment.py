"""Versions and machine."""

import torch

from endd.studies import environment as room
from endd.studies.environment import environment


def test_says_what_computed() -> None:
    found = environment("cuda")
    assert found["torch"] == torch.__version__
    assert found["device"] == "cuda"
    assert {"python", "endd", "numpy", "machine"} <= found.keys()


def test_a_missing_package_is_no_error() -> None:
    assert room._version("no-such-package") == "unknown"
