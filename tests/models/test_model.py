"""What ensembles and students have in common."""

import pytest
import torch
from torch import nn

import endd
from endd.families import Gaussian


def test_rows_with_nan_are_named() -> None:
    x = torch.randn(6, 3)
    x[[2, 4]] = float("nan")
    with pytest.raises(ValueError, match=r"in 2 rows \(2, 4\)"):
        endd.Ensemble([nn.Linear(3, 2) for _ in range(3)], Gaussian()).predict(x)
