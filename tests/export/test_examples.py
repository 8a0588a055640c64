"""Inputs to trace a model with."""

import pytest
import torch
from torch import nn
from torch.export import Dim

import endd
from endd.export.examples import BATCH, as_example, batch_axes, dynamic_axes, example_of, input_names
from endd.families import Categorical, Gaussian
from endd.nn import MLP, DenseNet, ResNet


def test_networks_of_endd_know_their_inputs() -> None:
    assert example_of(endd.Student(MLP(3, [4], 5), Gaussian())).shape == (2, 3)
    assert example_of(endd.Ensemble([MLP(4, [4], 2).double()], Gaussian())).dtype == torch.float64
    for net in (ResNet(8, 4), DenseNet((1, 1), 2, 4)):
        assert example_of(endd.Student(net, Categorical(2), endd.DiagonalNormal)).shape == (2, 3, 32, 32)
    with pytest.raises(ValueError, match="Expected an example of the inputs for a Linear, but got none"):
        example_of(endd.Student(nn.Linear(3, 5), Gaussian()))


def test_examples_have_two_rows_and_the_models_dtype() -> None:
    student = endd.Student(MLP(3, [4], 5), Gaussian())
    x = as_example(student, torch.zeros(1, 3, dtype=torch.float64))
    assert (x.shape, x.dtype) == ((2, 3), torch.float32)
    tokens = as_example(student, {"ids": torch.zeros(1, 7, dtype=torch.int64), "scores": None})
    assert tokens["ids"].shape == (2, 7)
    assert tokens["scores"] is None


def test_names_and_open_axes() -> None:
    x, ids = torch.zeros(2, 3), torch.zeros(2, 7, dtype=torch.int64)
    fixed, free = {0: BATCH, 1: Dim.STATIC}, {0: BATCH, 1: Dim.AUTO}
    cases = [
        (x, ["x"], fixed),
        (ids, ["x"], free),
        ((x, ids, None), ["x0", "x1"], (fixed, free, None)),
        ({"a": x, "flag": True, "ids": ids}, ["a", "ids"], {"a": free, "flag": None, "ids": free}),
    ]
    for inputs, names, axes in cases:
        assert input_names(inputs) == names
        assert dynamic_axes(inputs) == axes
    assert batch_axes({"a": x, "ids": ids}) == {"a": fixed, "ids": fixed}
