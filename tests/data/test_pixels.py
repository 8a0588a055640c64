"""Bytes become numbers and come back as they were."""

import numpy as np

from endd.data.pixels import to_bytes, unit


def test_values_are_cut_off_not_rounded() -> None:
    assert to_bytes(np.array([-0.1, 0.999 / 255, 1.999 / 255, 0.5, 1.2])).tolist() == [0, 0, 1, 127, 255]


def test_bytes_survive() -> None:
    every = np.arange(256, dtype=np.uint8)
    assert unit(every).dtype == np.float64
    assert np.abs(to_bytes(unit(every)).astype(int) - every).max() == 0
