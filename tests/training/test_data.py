"""Whatever people have becomes tables of tensors, or one clear line."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset, TensorDataset

from endd.families import Categorical, Family, Gaussian, MultivariateGaussian
from endd.training.data import as_examples, as_inputs

X, Y = torch.randn(10, 3), torch.randn(10)


class Named(Dataset[dict[str, Tensor]]):
    """Rows as dicts, as Hugging Face datasets give them."""

    def __init__(self, x: Tensor = X) -> None:
        self.x = x

    def __len__(self) -> int:
        return len(self.x)

    def __getitem__(self, place: int) -> dict[str, Tensor]:
        return {"a": self.x[place], "b": 2 * self.x[place]}


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        (X, X),
        (X.numpy().astype(np.float64), X),
        ({"a": X, "b": X.numpy()}, {"a": X, "b": X}),
        ((X, X), (X, X)),
        ([X, X.numpy()], (X, X)),
        (TensorDataset(X, Y), (X, Y)),
        (Named(), {"a": X, "b": 2 * X}),
        (DataLoader(Named(), batch_size=4), {"a": X, "b": 2 * X}),
        (DataLoader(TensorDataset(X, Y), batch_size=4), (X, Y)),
        (DataLoader(X, batch_size=4), X),  # type: ignore[arg-type]
    ],
    ids=["tensor", "array", "dict", "tuple", "list", "dataset", "dicts", "loader-dicts", "loader-pairs", "loader"],
)
def test_inputs_become_tensors(inputs: Any, expected: Any) -> None:
    torch.testing.assert_close(as_inputs(inputs), expected, rtol=0, atol=0)


def test_integers_stay_integers() -> None:
    assert as_inputs(np.arange(5)).dtype == torch.int64


@pytest.mark.parametrize(
    "data",
    [(X, Y), [X.numpy(), Y.numpy()], (X, Y.tolist()), TensorDataset(X, Y), DataLoader(TensorDataset(X, Y), 4)],
    ids=["pair", "arrays", "list", "dataset", "loader"],
)
def test_examples_are_pairs(data: Any) -> None:
    x, y = as_examples(data, Gaussian())
    assert torch.equal(x, X)
    torch.testing.assert_close(y, Y)


def test_inputs_of_examples_may_have_names() -> None:
    x, y = as_examples(({"a": X}, Y), Gaussian())
    assert torch.equal(x["a"], X)
    assert torch.equal(y, Y)


def test_targets_take_the_type_of_the_family() -> None:
    labels = np.arange(10) % 3
    assert as_examples((X, labels), Categorical(3))[1].dtype == torch.int64
    assert as_examples((X, labels), Gaussian())[1].dtype == torch.float32
    assert as_examples((X, X[:, :2]), MultivariateGaussian(2))[1].shape == (10, 2)


NAN = torch.where(torch.arange(30).reshape(10, 3) == 7, float("nan"), X)


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        (torch.empty(0, 3), "at least one, but got .0. rows"),
        (torch.tensor(1.0), "at least one"),
        ({"a": X, "b": X[:5]}, r"same number of rows, at least one, but got \[5, 10\] rows"),
        (TensorDataset(torch.empty(0, 3)), "at least one"),
        (DataLoader(Named(torch.empty(0, 3)), shuffle=False), "at least one"),
        (NAN, "finite inputs"),
        (NAN / 0, "finite inputs"),
        (NAN.numpy(), "finite inputs"),
        ({"a": X, "b": NAN}, "finite inputs"),
        (TensorDataset(NAN), "finite inputs"),
        (DataLoader(Named(NAN), 4), "finite inputs"),
        ({}, "at least one"),
    ],
)
def test_inputs_that_cannot_be_used_are_refused(inputs: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        as_inputs(inputs)


@pytest.mark.parametrize("inputs", [None, "x.csv", 3.0, {"a": "text"}])
def test_what_is_no_input_is_named(inputs: Any) -> None:
    with pytest.raises(TypeError, match="Expected inputs as tensors, arrays, a dict or tuple of them"):
        as_inputs(inputs)


@pytest.mark.parametrize(
    ("data", "family", "error", "message"),
    [
        (X, Gaussian(), TypeError, r"as a pair \(x, y\)"),
        ((X, Y, Y), Gaussian(), TypeError, r"as a pair \(x, y\)"),
        ((X, Y[:9]), Gaussian(), ValueError, "9 targets and 10 inputs"),
        ((X, Y.unsqueeze(-1)), Gaussian(), ValueError, r"shape \(10,\), but got \(10, 1\). Use y.squeeze\(-1\)"),
        ((X, NAN[:, 1]), Gaussian(), ValueError, "finite targets"),
        ((NAN, Y), Gaussian(), ValueError, "finite inputs"),
        ((X[:0], Y[:0]), Gaussian(), ValueError, "at least one"),
        ((X, torch.arange(10)), Categorical(3), ValueError, "classes from 0 to 2 in `y`, but got values from 0 to 9"),
        ((X, Y), Categorical(3), TypeError, "integer classes"),
        ((X, torch.tensor(1.0)), Gaussian(), ValueError, r"shape \(10,\), but got \(\)"),
    ],
)
def test_examples_that_cannot_be_used_are_refused(
    data: Any, family: Family, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        as_examples(data, family)
