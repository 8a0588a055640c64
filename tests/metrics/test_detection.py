"""Detection against scikit-learn, from scores of any size."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score, roc_curve

from endd.metrics import aupr, auroc, fpr95

ALL = [auroc, aupr, fpr95]
FEW = st.lists(st.integers(-3, 3).map(float), min_size=1, max_size=30)


def scikit(call, scores_in, scores_out) -> float:
    y = np.r_[np.zeros(len(scores_in)), np.ones(len(scores_out))]
    scores = np.r_[scores_in, scores_out]
    if call is auroc:
        return roc_auc_score(y, scores)
    if call is aupr:
        return average_precision_score(y, scores)
    fpr, tpr, _ = roc_curve(y, scores, drop_intermediate=False)
    return fpr[np.argmax(np.round(tpr * len(scores_out)) * 20 >= 19 * len(scores_out))]


@pytest.mark.parametrize("call", ALL)
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_as_scikit_learn(call, scale):
    generator = torch.Generator().manual_seed(0)
    inside = scale * torch.randn(300, generator=generator)
    outside = scale * (torch.randn(200, generator=generator) + 1)
    assert call(inside, outside).item() == pytest.approx(scikit(call, inside.numpy(), outside.numpy()), abs=1e-6)


@pytest.mark.parametrize("call", ALL)
@given(inside=FEW, outside=FEW)
def test_with_ties_as_scikit_learn(call, inside, outside):
    got = call(*(torch.tensor(v, dtype=torch.float64) for v in (inside, outside)))
    assert got.item() == pytest.approx(scikit(call, inside, outside), abs=1e-12)


@pytest.mark.parametrize("call", ALL)
@given(inside=FEW, outside=FEW, random=st.randoms())
def test_only_the_order_of_the_scores_counts(call, inside, outside, random):
    a, b = (torch.tensor(v, dtype=torch.float64) for v in (inside, outside))
    value = call(a, b)
    assert torch.equal(value, call((10 * a).exp(), (10 * b).exp()))
    assert torch.equal(value, call(a / 100 - 50, b / 100 - 50))
    shuffled = (torch.tensor(random.sample(v, len(v)), dtype=torch.float64) for v in (inside, outside))
    assert torch.equal(value, call(*shuffled))


@given(inside=FEW, outside=FEW)
def test_auroc_is_symmetric(inside, outside):
    a, b = (torch.tensor(v, dtype=torch.float64) for v in (inside, outside))
    assert auroc(a, b).item() + auroc(b, a).item() == pytest.approx(1)
    assert auroc(a, b).item() + auroc(-a, -b).item() == pytest.approx(1)


def test_separated_reversed_and_constant():
    low, high = torch.tensor([-5.0, -4.0]), torch.tensor([7.0, 9.0, 1e9])
    assert [call(low, high).item() for call in ALL] == [1.0, 1.0, 0.0]
    assert auroc(high, low).item() == 0
    assert fpr95(high, low).item() == 1
    same = torch.ones(4), torch.ones(6)
    assert [call(*same).item() for call in ALL] == pytest.approx([0.5, 0.6, 1.0])


def test_infinite_scores():
    inside, outside = torch.tensor([-torch.inf, 0.0, torch.inf]), torch.tensor([1.0, torch.inf])
    assert auroc(inside, outside).item() == pytest.approx((2 + 2.5) / 6)
    assert aupr(inside, outside).item() == pytest.approx(0.5 * 0.5 + 0.5 * 2 / 3)
    assert fpr95(inside, outside).item() == pytest.approx(1 / 3)


def test_fpr95_finds_19_of_20():
    outside = torch.arange(20.0)
    assert fpr95(torch.tensor([0.5, 1.5]), outside).item() == 0.5
    assert fpr95(torch.tensor([0.5, 1.5]), outside[:19]).item() == 1.0  # 18 of 19 are too few


def test_lengths_may_differ_but_each_is_a_vector():
    assert auroc(torch.zeros(3), torch.ones(5)).item() == 1
    with pytest.raises(ValueError, match=r"`scores_out` of shape \(B,\), but got \(2, 2\)"):
        auroc(torch.zeros(3), torch.ones(2, 2))
    with pytest.raises(ValueError, match="`scores_out` without NaN"):
        fpr95(torch.zeros(3), torch.tensor([0.0, torch.nan]))
