"""What a model costs."""

import torch

import endd
from endd.nn import MLP
from endd.studies.cost import BATCHES, cost


def test_parameters_bytes_and_times() -> None:
    family = endd.families.Gaussian()
    student = endd.Student(MLP(3, [8], endd.num_outputs(family)), family)
    found = cost(student, torch.randn(5, 3))
    count = sum(p.numel() for p in student.parameters())
    assert found["parameters"] == count
    assert found["bytes"] == 4 * count
    assert all(found[f"ms_a_row@{size}"] > 0 for size in BATCHES)
