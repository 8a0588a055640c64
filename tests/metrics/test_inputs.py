"""What the metrics accept."""

import pytest
import torch
from torch.distributions import Categorical, MixtureSameFamily, Normal, Poisson

from endd.metrics._inputs import check_labels, check_probs, check_real, double_rows, normal_mixture, restore

PROBS = torch.tensor([[0.5, 0.5], [0.1, 0.9]])


def test_double_rows_converts_integers_and_booleans():
    first, second = double_rows(a=torch.tensor([1, 2]), b=torch.tensor([True, False]))
    assert first.dtype == second.dtype == torch.float64
    assert second.tolist() == [1.0, 0.0]


def test_double_rows_names_lengths():
    with pytest.raises(ValueError, match="equal length, but got `a` 2, `b` 3 rows"):
        double_rows(a=torch.zeros(2), b=torch.zeros(3))


def test_infinity_passes_and_nan_rows_are_named():
    check_real("a", torch.tensor([torch.inf, -torch.inf]))
    bad = torch.zeros(9, 2)
    bad[1:8, 1] = torch.nan
    with pytest.raises(ValueError, match=r"NaN in 7 rows \(1, 2, 3, 4, 5, \.\.\.\)"):
        check_real("a", bad)
    with pytest.raises(ValueError, match="NaN in 1 rows"):
        check_real("a", torch.tensor(torch.nan))


@pytest.mark.parametrize(
    ("probs", "message"),
    [
        (torch.full((3,), 1 / 3), r"of shape \(B, K\) with K >= 2, but got \(3,\)"),
        (torch.ones(3, 1), r"but got \(3, 1\)"),
        (torch.tensor([[0.5, 0.5], [0.5, 0.6]]), "row 1 with sum 1.1"),
        (torch.tensor([[1.5, -0.5]]), "least entry of -0.5"),
        (torch.tensor([[torch.inf, 0.5]]), "sum inf"),
    ],
)
def test_probs_that_are_none(probs, message):
    with pytest.raises(ValueError, match=message):
        check_probs(probs)


def test_probs_must_be_floating():
    with pytest.raises(TypeError, match="floating point"):
        check_probs(torch.eye(2, dtype=torch.long))


def test_probs_within_tolerance():
    check_probs(torch.tensor([[0.5, 0.5009], [0.4995, 0.4999]]))


@pytest.mark.parametrize(
    ("y", "kind", "message"),
    [
        (torch.tensor([0.0, 1.0]), TypeError, "integer labels"),
        (torch.tensor([True, False]), TypeError, "integer labels"),
        (torch.tensor([0, 2]), ValueError, "from 0 to 1, but got values from 0 to 2"),
        (torch.tensor([-1, 0]), ValueError, "from -1 to 0"),
        (torch.tensor([[0], [1]]), ValueError, r"squeeze\(-1\)"),
        (torch.tensor([0]), ValueError, r"shape \(2,\), but got \(1,\)"),
    ],
)
def test_labels_that_are_none(y, kind, message):
    with pytest.raises(kind, match=message):
        check_labels(y, PROBS)


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int32, torch.int64])
def test_labels_of_any_integer_type(dtype):
    check_labels(torch.tensor([0, 1], dtype=dtype), PROBS)


def test_restore_promotes():
    result = torch.tensor(0.5, dtype=torch.float64)
    dtypes = [
        (torch.float32,),
        (torch.float64,),
        (torch.bfloat16,),
        (torch.int64,),
        (torch.float32, torch.float64),
    ]
    expected = [torch.float32, torch.float64, torch.float32, torch.float32, torch.float64]
    assert [restore(result, *(torch.zeros(1, dtype=d) for d in ds)).dtype for ds in dtypes] == expected


def test_normal_mixture_broadcasts_shared_weights():
    mixture = MixtureSameFamily(Categorical(torch.tensor([0.25, 0.75])), Normal(torch.zeros(3, 2), torch.ones(3, 2)))
    weights, means, stds = normal_mixture(mixture)
    assert weights.shape == means.shape == stds.shape == (3, 2)
    torch.testing.assert_close(weights[1], torch.tensor([0.25, 0.75]))


def test_normal_mixture_of_anything_else():
    assert normal_mixture(Normal(0.0, 1.0)) is None
    assert normal_mixture(MixtureSameFamily(Categorical(torch.ones(2)), Poisson(torch.ones(2)))) is None
