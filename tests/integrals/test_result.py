"""Methods are ordered and errors declared."""

import torch

from endd.integrals.result import approximate, exact, worst


def test_the_worst_method_counts() -> None:
    assert worst("exact", "qmc", "quadrature") == "qmc"
    assert worst("exact") == "exact"


def test_errors_are_declared_unless_exact() -> None:
    value = torch.tensor([-2.0, 0.0])
    assert exact(value).error.tolist() == [0.0, 0.0]
    assert approximate(value, "exact", 0.1, 0.1).error.tolist() == [0.0, 0.0]
    torch.testing.assert_close(approximate(value, "qmc", 0.1, 0.01).error, torch.tensor([0.21, 0.01]))
